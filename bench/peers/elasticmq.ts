// ElasticMQ from Maven Central, with its dependencies, on the machine's Java. Its server jar brings no configuration, so
// all of it is written here; the defaults of its distribution, but for addresses and statistics.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subject } from "../subjects/subject.ts";
import { isThere, placeOf, runInstaller } from "./place.ts";

const VERSION = "1.7.1";
const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>bench</groupId><artifactId>elasticmq</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.elasticmq</groupId><artifactId>elasticmq-server_2.13</artifactId><version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

export const elasticmq = make("elasticmq", "memory (its message storage is off in the configuration used here)", false);
export const elasticmqDisk = make(
  "elasticmq-disk",
  "H2 database file (its configuration); whether it is synced was not looked at",
  true,
);

function make(name: string, onSend: string, isPersistent: boolean): Subject {
  return {
    name,
    onSend,
    protocols: ["json", "query"],
    isInstalled: () => isThere("elasticmq", "jars"),
    install() {
      runInstaller("elasticmq", "java", ["-version"]);
      writeFileSync(placeOf("elasticmq", "pom.xml"), POM);
      runInstaller("elasticmq", "mvn", ["-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars"]);
    },
    commandFor(port, dataFolder) {
      const file = join(dataFolder, "elasticmq.conf");
      writeFileSync(file, configuration(port, dataFolder, isPersistent));
      return {
        program: "java",
        args: [`-Dconfig.file=${file}`, "-cp", placeOf("elasticmq", "jars", "*"), "org.elasticmq.server.Main"],
      };
    },
  };
}

function configuration(port: number, dataFolder: string, isPersistent: boolean): string {
  return `
storage { type = in-memory }
node-address { protocol = http, host = "127.0.0.1", port = ${port}, context-path = "" }
rest-sqs { enabled = true, bind-port = ${port}, bind-hostname = "127.0.0.1", sqs-limits = strict }
rest-stats { enabled = false, bind-port = 0, bind-hostname = "127.0.0.1" }
generate-node-address = false
queues-storage { enabled = false, path = "" }
messages-storage {
  enabled = ${isPersistent}
  driver-class = "org.h2.Driver"
  uri = "jdbc:h2:${join(dataFolder, "messages")}"
  username = ""
  password = ""
  prune-data-on-init = false
}
queues {}
aws { region = us-east-1, accountId = "000000000000" }
`;
}
