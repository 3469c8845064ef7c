// The last community release of LocalStack that runs without an account, from PyPI, on the host instead of in a container,
// with SQS alone.

import { join } from "node:path";
import type { Subject } from "../subjects/subject.ts";
import { installWithPip, isThere, placeOf } from "./place.ts";

const VERSION = "4.14.0";

export const localstack: Subject = {
  name: "localstack",
  onSend: "memory",
  protocols: ["json", "query"],
  isInstalled: () => isThere("localstack", "venv", "bin", "localstack"),
  install: () => installWithPip("localstack", `localstack-core[base-runtime]==${VERSION}`),
  commandFor: (port, dataFolder) => ({
    program: placeOf("localstack", "venv", "bin", "python"),
    args: ["-m", "localstack.runtime.main"],
    env: {
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      LOCALSTACK_HOST: `127.0.0.1:${port}`,
      SERVICES: "sqs",
      STRICT_SERVICE_LOADING: "1",
      FILESYSTEM_ROOT: join(dataFolder, "localstack"),
      // It must reach nothing outside of this machine.
      DISABLE_EVENTS: "1",
      SKIP_SSL_CERT_DOWNLOAD: "1",
      SKIP_INFRA_DOWNLOADS: "1",
      LS_LOG: "warning",
    },
  }),
};
