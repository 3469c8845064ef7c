// moto's server mode from PyPI.

import type { Subject } from "../subjects/subject.ts";
import { installWithPip, isThere, placeOf } from "./place.ts";

const VERSION = "5.2.5";

export const moto: Subject = {
  name: "moto",
  onSend: "memory (its source keeps queues in Python objects and opens no file)",
  protocols: ["json", "query"],
  isInstalled: () => isThere("moto", "venv", "bin", "python"),
  install: () => installWithPip("moto", `moto[server]==${VERSION}`),
  commandFor: (port) => ({
    program: placeOf("moto", "venv", "bin", "python"),
    args: ["-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", String(port)],
  }),
};
