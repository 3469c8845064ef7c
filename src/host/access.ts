// May a service deliver to a queue, or invoke a function? The policy of either says so, as far as the server is asked to hold anybody to it.
// What a policy refuses, or would, is remembered with the statement that is missing: on AWS such a message vanishes
// without a word (fanout.md A14).

import {
  type AccessRequest,
  evaluatePolicy,
  type FunctionRecord,
  functionArn,
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

/** A delivery that the policy of a queue or function does not allow. */
export interface AccessFinding {
  /** ARN of who delivers. */
  source: string;
  targetArn: string;
  /** `sqs:SendMessage` or `lambda:InvokeFunction`. */
  action: string;
  /** A statement denies it, or none allows it. */
  decision: "deny" | "noMatch";
  /** The statement that denies, by its Sid or place. */
  statement?: string;
  /** What to add to the policy; absent when a statement denies. */
  missing?: WrittenStatement;
}

export class Access {
  readonly mode: AccessMode;
  readonly #log: HostOptions["log"];
  /** By record, since a policy may change; then by source. */
  #findings = new WeakMap<QueueRecord | FunctionRecord, Map<string, AccessFinding | undefined>>();
  readonly #told = new Set<string>();

  constructor(mode: AccessMode, log: HostOptions["log"]) {
    this.mode = mode;
    this.#log = log;
  }

  /** Why the topic may not send to the queue, in words; undefined when it may, or is let. */
  refuseDelivery(topic: TopicRecord, target: QueueRecord | FunctionRecord): string | undefined {
    if (this.mode === "off") return undefined;
    const finding = this.findingOf(topic, target);
    if (finding === undefined) return undefined;
    this.#tell(finding);
    return this.mode === "enforce" ? inWords(finding) : undefined;
  }

  /** What is wrong between the topic and the queue, for people; undefined when nothing is, or nobody looks. */
  obstacleTo(
    topic: TopicRecord,
    queue: QueueRecord,
  ): { problem: string; missingStatement?: WrittenStatement } | undefined {
    const finding = this.mode === "off" ? undefined : this.findingOf(topic, queue);
    if (finding === undefined) return undefined;
    return {
      problem: `${inWords(finding)} So ${this.#consequence}.`,
      ...(finding.missing === undefined ? {} : { missingStatement: finding.missing }),
    };
  }

  /** What the policy of a queue or function has against deliveries of the topic; undefined: nothing. */
  findingOf(topic: TopicRecord, target: QueueRecord | FunctionRecord): AccessFinding | undefined {
    let bySource = this.#findings.get(target);
    if (bySource === undefined) {
      bySource = new Map();
      this.#findings.set(target, bySource);
    }
    const source = topicArn(topic.topic);
    if (!bySource.has(source)) bySource.set(source, judge(source, topic.topic.account, target));
    return bySource.get(source);
  }

  #tell(finding: AccessFinding): void {
    const key = `${finding.source} ${finding.targetArn}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#log("warn", `${inWords(finding)} So ${this.#consequence}.`, {
      ...(finding.missing === undefined ? {} : { addStatement: finding.missing }),
    });
  }

  get #consequence(): string {
    return this.mode === "enforce" ? "its messages are not delivered" : "AWS would not deliver its messages";
  }
}

function judge(source: string, account: string, target: QueueRecord | FunctionRecord): AccessFinding | undefined {
  const isQueue = "queue" in target;
  const targetArn = isQueue ? queueArn(target.queue) : functionArn(target.function);
  const action = isQueue ? "sqs:SendMessage" : "lambda:InvokeFunction";
  const request: AccessRequest = {
    principal: { service: "sns.amazonaws.com" },
    action,
    resource: targetArn,
    context: { "aws:SourceArn": source, "aws:SourceAccount": account },
  };
  const { decision, statement } = evaluatePolicy(isQueue ? target.attributes.Policy : target.policy, request);
  if (decision === "allow") return undefined;
  const finding = { source, targetArn, action };
  if (decision === "noMatch") return { ...finding, decision, missing: missingStatement(request) };
  return { ...finding, decision, ...(statement === undefined ? {} : { statement }) };
}

function inWords({ source, targetArn, action, decision, statement }: AccessFinding): string {
  return decision === "deny"
    ? `The policy of ${targetArn} denies ${action} to ${source} (${statement ?? "a statement"}).`
    : `The policy of ${targetArn} has no statement that lets ${source} ${action === "sqs:SendMessage" ? "send to" : "invoke"} it.`;
}
