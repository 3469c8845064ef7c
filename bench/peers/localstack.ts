// The last community release of LocalStack that runs without an account, from PyPI, on the host instead of in a container,
// with SQS alone. Its SQS needs Python 3.12 or newer, whatever its package says: a class in it is written in newer syntax.

import { join } from "node:path";
import type { Subject } from "../subjects/subject.ts";
import { installWithPip, isThere, placeOf } from "./place.ts";

const VERSION = "4.14.0";

/** That release does not pin these, and their newest versions lack what it calls. */
const OLDER = ["cbor2<6", "pyopenssl<26", "service_identity"];

export const localstack: Subject = {
  name: "localstack",
  onSend: "memory (its documentation: state is ephemeral unless the paid persistence is on)",
  protocols: ["json", "query"],
  isInstalled: () => isThere("localstack", "venv", "bin", "localstack"),
  install: () => installWithPip("localstack", `localstack-core[runtime]==${VERSION}`, ...OLDER),
  commandFor: (port, dataFolder) => ({
    program: placeOf("localstack", "venv", "bin", "python"),
    args: ["-m", "localstack.runtime.main"],
    env: {
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      LOCALSTACK_HOST: `127.0.0.1:${port}`,
      SERVICES: "sqs",
      EAGER_SERVICE_LOADING: "1",
      FILESYSTEM_ROOT: join(dataFolder, "localstack"),
      // It must reach nothing outside of this machine.
      DISABLE_EVENTS: "1",
      DNS_ADDRESS: "0",
      SKIP_SSL_CERT_DOWNLOAD: "1",
      SKIP_INFRA_DOWNLOADS: "1",
      LS_LOG: "warning",
    },
  }),
};
