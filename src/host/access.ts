// May a service deliver to a queue? The queue's policy says so, as far as the server is asked to hold anybody to it.
// What a policy refuses, or would, is remembered with the statement that is missing: on AWS such a message vanishes
// without a word (fanout.md A14).

import {
  type AccessRequest,
  evaluatePolicy,
  missingStatement,
  type QueueRecord,
  queueArn,
  type TopicRecord,
  topicArn,
  type WrittenStatement,
} from "../engine/index.ts";
import type { HostOptions } from "./host.ts";

/** `off`: policies are not looked at. `warn`: what they would refuse is delivered and logged. `enforce`: refused. */
export type AccessMode = "off" | "warn" | "enforce";

/** A delivery that a queue's policy does not allow. */
export interface AccessFinding {
  /** ARN of who delivers. */
  source: string;
  queueArn: string;
  /** A statement denies it, or none allows it. */
  decision: "deny" | "noMatch";
  /** The statement that denies, by its Sid or place. */
  statement?: string;
  /** What to add to the queue's policy; absent when a statement denies. */
  missing?: WrittenStatement;
}

export class Access {
  readonly mode: AccessMode;
  readonly #log: HostOptions["log"];
  /** By queue record, since a policy may change; then by source. */
  #findings = new WeakMap<QueueRecord, Map<string, AccessFinding | undefined>>();
  readonly #told = new Set<string>();

  constructor(mode: AccessMode, log: HostOptions["log"]) {
    this.mode = mode;
    this.#log = log;
  }

  /** Why the topic may not send to the queue, in words; undefined when it may, or is let. */
  refuseDelivery(topic: TopicRecord, queue: QueueRecord): string | undefined {
    if (this.mode === "off") return undefined;
    const finding = this.findingOf(topic, queue);
    if (finding === undefined) return undefined;
    this.#tell(finding);
    return this.mode === "enforce" ? inWords(finding) : undefined;
  }

  /** What the queue's policy has against deliveries of the topic; undefined: nothing. */
  findingOf(topic: TopicRecord, queue: QueueRecord): AccessFinding | undefined {
    let bySource = this.#findings.get(queue);
    if (bySource === undefined) {
      bySource = new Map();
      this.#findings.set(queue, bySource);
    }
    const source = topicArn(topic.topic);
    if (!bySource.has(source)) bySource.set(source, judge(source, topic.topic.account, queue));
    return bySource.get(source);
  }

  #tell(finding: AccessFinding): void {
    const key = `${finding.source} ${finding.queueArn}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    const consequence =
      this.mode === "enforce" ? "its messages are not delivered" : "AWS would not deliver its messages";
    this.#log("warn", `${inWords(finding)} So ${consequence}.`, {
      ...(finding.missing === undefined ? {} : { addStatement: finding.missing }),
    });
  }
}

function judge(source: string, account: string, queue: QueueRecord): AccessFinding | undefined {
  const arn = queueArn(queue.queue);
  const request: AccessRequest = {
    principal: { service: "sns.amazonaws.com" },
    action: "sqs:SendMessage",
    resource: arn,
    context: { "aws:SourceArn": source, "aws:SourceAccount": account },
  };
  const { decision, statement } = evaluatePolicy(queue.attributes.Policy, request);
  if (decision === "allow") return undefined;
  if (decision === "noMatch") return { source, queueArn: arn, decision, missing: missingStatement(request) };
  return { source, queueArn: arn, decision, ...(statement === undefined ? {} : { statement }) };
}

function inWords({ source, queueArn, decision, statement }: AccessFinding): string {
  return decision === "deny"
    ? `The policy of ${queueArn} denies sqs:SendMessage to ${source} (${statement ?? "a statement"}).`
    : `The policy of ${queueArn} has no statement that lets ${source} send to it.`;
}
