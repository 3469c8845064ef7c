// Every service on this port. The first of a list answers what no sign tells apart.

import { lambda } from "./lambda/service.ts";
import { sns } from "./sns/service.ts";
import { sqs } from "./sqs/service.ts";
import { sts } from "./sts/service.ts";

export const jsonServices = [sqs] as const;
export const queryServices = [sqs, sns, sts] as const;
export const restServices = [lambda] as const;
