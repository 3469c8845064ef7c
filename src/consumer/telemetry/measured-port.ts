// A QueuePort that counts messages and takes the time of each call, and is otherwise the one that it is given.

import type { Clock } from "../../base/clock.ts";
import type { FailedEntry, QueuePort } from "../queue-port.ts";
import { ATTRIBUTE, errorTypeOf, METRIC, queueAttributes } from "./conventions.ts";
import type { OtelAttributes, OtelMeter } from "./otel-port.ts";

interface Operation {
  name: string;
  type?: string;
}

/** The port itself when there is no meter. */
export function measuredPort(port: QueuePort, meter: OtelMeter | undefined, clock: Clock): QueuePort {
  if (meter === undefined) return port;
  const durations = meter.createHistogram(METRIC.operationDuration.name, METRIC.operationDuration.options);
  const consumed = meter.createCounter(METRIC.consumed.name, METRIC.consumed.options);
  const sentMessages = meter.createCounter(METRIC.sent.name, METRIC.sent.options);

  async function timed<Answer>(
    queueUrl: string,
    operation: Operation,
    call: () => Promise<Answer>,
    isRecorded: (error: unknown) => boolean = () => true,
  ): Promise<Answer> {
    const startedAtMs = clock.nowMs();
    const record = (error: OtelAttributes) =>
      durations.record((clock.nowMs() - startedAtMs) / 1000, { ...attributesOf(queueUrl, operation), ...error });
    try {
      const answer = await call();
      record({});
      return answer;
    } catch (error) {
      if (isRecorded(error)) record({ [ATTRIBUTE.errorType]: errorTypeOf(error) });
      throw error;
    }
  }

  return {
    async receive(request, signal) {
      const { queueUrl } = request;
      // A receive that we cut off ourselves says nothing about the queue.
      const isRecorded = () => signal?.aborted !== true;
      const messages = await timed(queueUrl, RECEIVE, () => port.receive(request, signal), isRecorded);
      if (messages.length > 0) consumed.add(messages.length, attributesOf(queueUrl, RECEIVE));
      return messages;
    },
    async send(queueUrl, entries) {
      const count = (messages: number, more: OtelAttributes) =>
        sentMessages.add(messages, { ...attributesOf(queueUrl, SEND), ...more });
      try {
        const answer = await timed(queueUrl, SEND, () => port.send(queueUrl, entries));
        if (answer.sent.length > 0) count(answer.sent.length, {});
        for (const [code, messages] of countsOf(answer.failed)) count(messages, { [ATTRIBUTE.errorType]: code });
        return answer;
      } catch (error) {
        count(entries.length, { [ATTRIBUTE.errorType]: errorTypeOf(error) });
        throw error;
      }
    },
    deleteMessages: (queueUrl, entries) => timed(queueUrl, DELETE, () => port.deleteMessages(queueUrl, entries)),
    changeVisibility: (queueUrl, entries) =>
      timed(queueUrl, CHANGE_VISIBILITY, () => port.changeVisibility(queueUrl, entries)),
    queueUrl: (name, account) => port.queueUrl(name, account),
    describe: (queueUrl) => port.describe(queueUrl),
    ...(port.connection === undefined ? {} : { connection: port.connection.bind(port) }),
  };
}

const RECEIVE: Operation = { name: "receive", type: "receive" };
const SEND: Operation = { name: "send", type: "send" };
const DELETE: Operation = { name: "delete", type: "settle" };
const CHANGE_VISIBILITY: Operation = { name: "change_visibility" };

function attributesOf(queueUrl: string, { name, type }: Operation): OtelAttributes {
  return {
    ...queueAttributes(queueUrl),
    [ATTRIBUTE.operationName]: name,
    ...(type === undefined ? {} : { [ATTRIBUTE.operationType]: type }),
  };
}

function countsOf(failed: readonly FailedEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { code } of failed) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts;
}
