// The pure engine in a test's hands: one shard, a clock that the test moves, and a record of every fact. Transfers
// between queues are carried over at once. Afterwards `replayed` rebuilds the state from the facts alone and
// `restored` from a snapshot, for comparing with the live one.

import { createHash } from "node:crypto";
import { ByteWriter } from "../../src/base/bytes.ts";
import type { EntryResult, SendEntry, SentMessage } from "../../src/engine/command.ts";
import {
  apply,
  type BodyRef,
  decide,
  decodeEnvelope,
  decodeFacts,
  decodeSnapshot,
  encodeFact,
  encodeSnapshot,
  type Fact,
  isTimeDue,
  queueArn,
  type Receipt,
  readdressEnvelope,
  type ShardCommandKind,
  type ShardCommandOf,
  type ShardResult,
  ShardState,
  type TransferTarget,
} from "../../src/engine/index.ts";
import type { PartitionConfig } from "../../src/engine/queue/partition.ts";

const SETTINGS = { shard: 0, awsDelays: false };

export interface TestReceived {
  body: string;
  messageId: string;
  receipt: Receipt;
  receiveCount: number;
  groupId: string;
}

export class TestShard {
  readonly state = new ShardState(SETTINGS);
  nowMs: number;
  /** Entry payloads as the host would log them, one per fact. */
  readonly entries: Buffer[] = [];
  #uuids = 0;

  constructor(startAtMs = 1_700_000_000_000) {
    this.nowMs = startAtMs;
    this.advance(0);
  }

  configure(partition: number, config: Partial<PartitionConfig> = {}): void {
    const name = `q${partition}${config.fifo ? ".fifo" : ""}`;
    this.perform<"configurePartition">({
      kind: "configurePartition",
      partition,
      config: {
        queue: { account: "000000000000", region: "us-east-1", name },
        fifo: false,
        delayMs: 0,
        visibilityTimeoutMs: 30_000,
        retentionMs: 345_600_000,
        messageBytesMax: 1_048_576,
        contentBasedDeduplication: false,
        deduplicationScope: "queue",
        ...config,
      },
    });
  }

  advance(byMs: number): void {
    this.nowMs += byMs;
    this.#record({ kind: "TimeAdvanced", nowMs: this.nowMs });
    while (isTimeDue(this.state, this.nowMs)) this.#record({ kind: "TimeAdvanced", nowMs: this.nowMs });
  }

  perform<Kind extends ShardCommandKind>(command: ShardCommandOf<Kind>): ShardResult<Kind> {
    const result = decide<Kind>(this.state, command, (fact) => this.#record(fact));
    this.#deliver();
    return result;
  }

  send(partition: number, body: string, more: Partial<SendEntry> = {}): EntryResult<SentMessage> {
    const bytes = Buffer.from(body);
    const content = { body: bytes, bodyMd5: createHash("md5").update(bytes).digest(), attributes: [] };
    const result = this.perform<"sendMessages">({
      kind: "sendMessages",
      partition,
      senderId: "AIDATEST",
      batch: false,
      entries: [{ content, sizeBytes: bytes.length, ...more }],
      messageIds: [this.uuid()],
    });
    return result.ok ? (result.value.entries[0] as EntryResult<SentMessage>) : result;
  }

  receive(
    partition: number,
    more: Partial<ShardCommandOf<"receiveMessages">> = {},
    deadLetterTarget?: TransferTarget,
  ): TestReceived[] {
    const result = this.perform<"receiveMessages">({
      kind: "receiveMessages",
      partition,
      messagesMax: 10,
      visibilityTimeoutMs: undefined,
      attemptId: undefined,
      waits: true,
      deadLetterTarget,
      ...more,
    });
    if (!result.ok) throw new Error(result.refusal.message);
    const received = result.value.slots.map((slot) => this.#read(partition, slot));
    return result.value.more ? this.receive(partition, more, deadLetterTarget) : received;
  }

  counts(partition: number): { ready: number; delayed: number; inFlight: number } {
    const { readyCount, delayedCount, inFlightCount } = this.state.partition(partition);
    return { ready: readyCount, delayed: delayedCount, inFlight: inFlightCount };
  }

  /** Message ids of a queue, oldest first. */
  members(partition: number): string[] {
    const { seq } = this.state.table;
    const slots = [...this.state.partition(partition).memberSlots()];
    slots.sort((a, b) => seq.get(a) - seq.get(b));
    return slots.map((slot) => decodeEnvelope(this.envelope(slot)).messageId);
  }

  /** Runs a move task from one queue to another until it ends; answers how it ended. */
  redrive(partition: number, destination: number): string {
    const taskId = this.uuid();
    const started = this.perform<"startMoveTask">({
      kind: "startMoveTask",
      partition,
      taskId,
      sourceArn: "source",
      destinationArn: "destination",
      messagesPerSecondMax: undefined,
    });
    if (!started.ok) return started.refusal.message;
    const task = this.state.partition(partition).moveTasks[0];
    while (task?.status === "RUNNING") {
      const target = { shard: 0, partition: destination };
      this.perform<"stepMoveTask">({ kind: "stepMoveTask", partition, taskId, destination: target, origins: {} });
    }
    return task?.status ?? "no task";
  }

  /** The body of each message of a queue, by message id. */
  bodies(partition: number): Map<string, string> {
    const envelopes = [...this.state.partition(partition).memberSlots()].map((slot) =>
      decodeEnvelope(this.envelope(slot)),
    );
    return new Map(envelopes.map(({ messageId, content }) => [messageId, Buffer.from(content.body).toString()]));
  }

  envelope(slot: number): Buffer {
    const { bodyEntry, bodyOffset, bodyBytes } = this.state.table;
    const entry = this.entries[bodyEntry.get(slot) - 1] as Buffer;
    const offset = bodyOffset.get(slot);
    return entry.subarray(offset, offset + bodyBytes.get(slot));
  }

  /** The state as recovery would build it from the log. */
  replayed(): ShardState {
    const state = new ShardState(SETTINGS);
    for (const [index, entry] of this.entries.entries()) {
      for (const { fact, envelopeOffset } of decodeFacts(entry)) {
        apply(state, fact, bodyRef(index + 1, envelopeOffset, fact));
      }
    }
    return state;
  }

  /** The state as recovery would load it from a snapshot. */
  restored(): ShardState {
    return decodeSnapshot(Buffer.concat(encodeSnapshot(this.state)), SETTINGS);
  }

  uuid(): string {
    this.#uuids += 1;
    return `00000000-0000-4000-8000-${String(this.#uuids).padStart(12, "0")}`;
  }

  #record(fact: Fact): void {
    const out = new ByteWriter();
    const offset = encodeFact(out, fact);
    this.entries.push(Buffer.from(out.view()));
    apply(this.state, fact, bodyRef(this.entries.length, offset, fact));
  }

  #read(partition: number, slot: number): TestReceived {
    const { state } = this;
    const { table } = state;
    const { messageId, content } = decodeEnvelope(this.envelope(slot));
    return {
      body: Buffer.from(content.body).toString(),
      messageId,
      receiveCount: table.receiveCount.get(slot),
      groupId: state.partition(partition).groupOf(slot).id,
      receipt: {
        partition,
        slot,
        seq: table.seq.get(slot),
        receiveSeq: table.receiveSeq.get(slot),
        text: "handle",
      },
    };
  }

  #deliver(): void {
    const { state } = this;
    for (const entry of [...state.outbox.values()]) {
      const { slot, transferId, purpose } = entry;
      const source = state.partition(entry.source);
      const stored = Buffer.from(this.envelope(slot));
      const envelope = purpose === "redrive" ? readdressEnvelope(stored, this.uuid(), state.nowMs) : stored;
      const { messageId, sentAtMs } = decodeEnvelope(envelope);
      const group = state.table.group.get(slot);
      const accepted = decide<"acceptTransfers">(
        state,
        {
          kind: "acceptTransfers",
          sourceShard: 0,
          transfers: [
            {
              transferId,
              partition: entry.target.partition,
              purpose,
              envelope,
              sentAtMs,
              firstReceivedAtMs: state.table.firstReceivedAtMs.get(slot),
              receiveCount: state.table.receiveCount.get(slot),
              originArn: queueArn(source.config.queue),
              groupId: group < 0 ? undefined : source.groups[group]?.id,
              deduplicationId: messageId,
            },
          ],
        },
        (fact) => this.#record(fact),
      );
      const isIn = accepted.ok && accepted.value.acceptedUpTo >= transferId;
      decide<"settleTransfer">(
        state,
        { kind: "settleTransfer", transferId, accepted: isIn, failureReason: undefined },
        (fact) => this.#record(fact),
      );
    }
  }
}

function bodyRef(entrySeq: number, offset: number, fact: Fact): BodyRef | undefined {
  return offset < 0 || !("envelope" in fact) ? undefined : { entrySeq, offset, bytes: fact.envelope.length };
}

/** A state as comparable bytes. */
export function fingerprint(state: ShardState): string {
  const hash = createHash("sha256");
  for (const chunk of encodeSnapshot(state)) hash.update(chunk);
  return hash.digest("hex");
}
