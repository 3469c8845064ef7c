#!/usr/bin/env bash
# Installs the foreign programs that tests need. Clients for the smoke tests: AWS CLI, boto3 and Celery, each in a version
# that speaks SQS's JSON protocol and one that speaks the older Query protocol, and AWS's own runtime clients for
# functions. Servers for the idempotency stores: PostgreSQL, Redis and a DynamoDB-compatible one. Made for a fresh
# Debian 12 as root with the package registries in reach. What cannot be had is named and left out; the test that needs it
# is skipped.
#
# Python tools go into virtual environments under .tools/, one each, so that their versions never meet. Running the
# script again installs only what is missing or whose pin below has changed.
set -u
cd "$(dirname "$0")/.."

declare -A pins=(
  [awscli]="awscli==1.46.3"
  [boto3]="boto3==1.44.8"
  # The last boto3 minor that is old enough to speak Query and new enough for Python 3.11.
  [boto3-query]="boto3==1.26.165"
  [celery]="celery[sqs]==5.7.0"
  [awslambdaric]="awslambdaric==4.2.2"
)
node_client="aws-lambda-ric@3.3.0"
# A program of its own for each platform, published on npm: no Java, no container.
dynoxide="1.2.1"
# The second line builds AWS's runtime client for Node, which comes as source; the third has the stores' servers.
debian_packages=(awscli python3-boto3 python3-celery python3-kombu python3-pycurl python3-venv
  autoconf automake cmake g++ libtool make
  postgresql redis-server)

missing=()

say() { printf '%s\n' "$*"; }

install_debian() {
  if ! command -v apt-get >/dev/null; then
    missing+=("Debian's ${debian_packages[*]}: this system has no apt-get")
    return
  fi
  local wanted=()
  for package in "${debian_packages[@]}"; do
    dpkg-query --show --showformat='${Status}\n' "$package" 2>/dev/null | grep -q ' installed$' || wanted+=("$package")
  done
  if [ ${#wanted[@]} -eq 0 ]; then
    say "Debian packages: already there"
    return
  fi
  if [ "$(id -u)" -ne 0 ]; then
    missing+=("Debian's ${wanted[*]}: installing them needs root")
    return
  fi
  say "Debian packages: ${wanted[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update --quiet >.tools/apt.log 2>&1
  if apt-get install --yes --no-install-recommends "${wanted[@]}" >>.tools/apt.log 2>&1; then return; fi
  # One package that cannot be had must not keep the others away.
  for package in "${wanted[@]}"; do
    apt-get install --yes --no-install-recommends "$package" >>.tools/apt.log 2>&1 ||
      missing+=("Debian's $package (see .tools/apt.log)")
  done
}

# Debian's own interpreter first: it is the one that python3-venv belongs to.
find_python() {
  for candidate in /usr/bin/python3 python3; do
    if "$candidate" -c 'import venv, ensurepip' 2>/dev/null; then
      say "$candidate"
      return
    fi
  done
}

install_python_tool() {
  local name=$1 requirement=$2 python=$3
  local folder=".tools/$name"
  if [ "$(cat "$folder/installed" 2>/dev/null)" = "$requirement" ]; then
    say "$requirement: already there"
    return
  fi
  say "$requirement"
  rm -rf "$folder"
  if "$python" -m venv "$folder" >".tools/$name.log" 2>&1 &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check "$requirement" >>".tools/$name.log" 2>&1; then
    printf '%s\n' "$requirement" >"$folder/installed"
  else
    rm -rf "$folder"
    missing+=("$requirement (see .tools/$name.log)")
  fi
}

# Its native part is compiled against the headers that came with node, which are beside it.
install_node_client() {
  local folder=.tools/aws-lambda-ric
  local package="$PWD/$folder/node_modules/aws-lambda-ric"
  if [ "$(cat "$folder/installed" 2>/dev/null)" = "$node_client" ]; then
    say "$node_client: already there"
    return
  fi
  say "$node_client"
  rm -rf "$folder"
  mkdir -p "$folder"
  if (
    cd "$folder" && npm init -y && npm install --ignore-scripts "$node_client" &&
      cd node_modules/aws-lambda-ric && sh scripts/preinstall.sh &&
      npx node-gyp rebuild --nodedir="$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")" &&
      cp build/Release/rapid-client.node dist/
  ) >.tools/aws-lambda-ric.log 2>&1 && [ -f "$package/dist/rapid-client.node" ]; then
    printf '%s\n' "$node_client" >"$folder/installed"
  else
    rm -rf "$folder"
    missing+=("$node_client (see .tools/aws-lambda-ric.log)")
  fi
}

# Not among the devDependencies: its package is for one platform only, and `npm ci` would fail on every other.
install_dynoxide() {
  local requirement folder=.tools/dynoxide
  requirement="@dynoxide/$(node -p '`${process.platform}-${process.arch}`')@$dynoxide"
  if [ "$(cat "$folder/installed" 2>/dev/null)" = "$requirement" ]; then
    say "$requirement: already there"
    return
  fi
  say "$requirement"
  rm -rf "$folder"
  if npm install --no-save --no-package-lock --ignore-scripts --prefix "$folder" "$requirement" >.tools/dynoxide.log 2>&1; then
    printf '%s\n' "$requirement" >"$folder/installed"
  else
    rm -rf "$folder"
    missing+=("$requirement (see .tools/dynoxide.log)")
  fi
}

mkdir -p .tools
install_debian
install_node_client
install_dynoxide
python=$(find_python)
for name in awscli boto3 boto3-query celery awslambdaric; do
  if [ -z "$python" ]; then
    missing+=("${pins[$name]}: no Python with the venv module")
  else
    install_python_tool "$name" "${pins[$name]}" "$python"
  fi
done

if [ ${#missing[@]} -gt 0 ]; then
  say ""
  say "NOT INSTALLED, their tests will be skipped:"
  printf '  - %s\n' "${missing[@]}"
fi
# Missing tools are no failure: the tests that have theirs are worth running.
exit 0
