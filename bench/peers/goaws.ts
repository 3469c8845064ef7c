// GoAWS by its Go module; the newest version that the module's own path serves speaks Query alone.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subject } from "../subjects/subject.ts";
import { isThere, placeOf, runInstaller } from "./place.ts";

const VERSION = "v0.4.5";

export const goaws: Subject = {
  name: "goaws",
  onSend: "memory (its source keeps queues in a map and opens no file)",
  protocols: ["query"],
  isInstalled: () => isThere("goaws", "cmd"),
  install: () =>
    runInstaller("goaws", "go", ["install", `github.com/Admiral-Piett/goaws/app/cmd@${VERSION}`], {
      GOBIN: placeOf("goaws"),
    }),
  commandFor(port, dataFolder) {
    const file = join(dataFolder, "goaws.yaml");
    writeFileSync(
      file,
      `Local:\n  Host: localhost\n  Port: ${port}\n  Region: us-east-1\n  AccountId: "000000000000"\n  LogToFile: false\n`,
    );
    return { program: placeOf("goaws", "cmd"), args: ["-config", file, "Local"] };
  },
};
