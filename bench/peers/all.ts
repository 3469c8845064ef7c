// The servers that Millpond can be measured against.

import type { Subject } from "../subjects/subject.ts";
import { elasticmq, elasticmqDisk } from "./elasticmq.ts";
import { fauxqsDisk, fauxqsMemory } from "./fauxqs.ts";
import { goaws } from "./goaws.ts";
import { localstack } from "./localstack.ts";
import { moto } from "./moto.ts";

export const PEERS: readonly Subject[] = [fauxqsMemory, fauxqsDisk, elasticmq, elasticmqDisk, localstack, moto, goaws];
