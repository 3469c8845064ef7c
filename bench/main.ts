// npm run bench -- [SUBCOMMAND] …; README.md says what is measured, how and why. Without a subcommand: run.

import { deep } from "./deep/deep.ts";
import { matcher } from "./matcher/matcher.ts";
import { PEERS } from "./peers/all.ts";
import { publish } from "./publish/publish.ts";
import { report } from "./report/report.ts";
import { RUN_HELP } from "./run/options.ts";
import { profile } from "./run/profile.ts";
import { run } from "./run/run.ts";
import { SCENARIOS } from "./scenarios/all.ts";

/** Each answers its exit code. A benchmark of a part that needs no server is a subcommand of its own, in its own folder. */
type Subcommand = (args: string[]) => Promise<number>;

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  run,
  list,
  install,
  report,
  profile,
  matcher,
  deep,
  publish,
};

// Ended by a signal, it must not leave servers behind: they are stopped when this process exits.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const [first = "", ...rest] = process.argv.slice(2);
const named = SUBCOMMANDS[first];
try {
  if (first === "--help" || first === "help") console.log(RUN_HELP);
  else process.exitCode = await (named === undefined ? run(process.argv.slice(2)) : named(rest));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}

async function list(): Promise<number> {
  const lines = SCENARIOS.map(
    ({ name, title, isComparable }) => `${name.padEnd(20)}${isComparable ? "" : "(Millpond only) "}${title}`,
  );
  const peers = PEERS.map(
    ({ name, onSend, protocols }) => `${name.padEnd(20)}${protocols.join(", ")}; on send: ${onSend}`,
  );
  console.log(["Scenarios", ...lines, "", "Peers", ...peers].join("\n"));
  return 0;
}

async function install(names: string[]): Promise<number> {
  const wanted = PEERS.filter(({ name }) => names.length === 0 || names.includes(name));
  let failed = 0;
  for (const { name, install: installPeer, isInstalled } of wanted) {
    try {
      if (isInstalled?.() === false) installPeer?.();
      console.log(`${name}: there`);
    } catch (error) {
      failed += 1;
      console.log(`${name}: cannot be had: ${(error as Error).message}`);
    }
  }
  return failed === 0 ? 0 : 1;
}
