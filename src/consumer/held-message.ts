// A message that the queue has handed to us and that we have not settled yet: waiting for a slot, being worked on, kept
// while the circuit breaker is open, or being deleted or returned.

import type { Delivery } from "./delivery.ts";
import type { RawMessage } from "./queue-port.ts";

export class HeldMessage {
  readonly raw: RawMessage;
  readonly id: string;
  /** The newest one: a redelivery that comes while we hold the message replaces it. */
  receipt: string;
  readonly attempt: number;
  readonly receivedAtMs: number;
  /** Messages of one lane are limited in how many run at once; undefined is the lane without a limit. */
  readonly lane: string | undefined;
  /** When the queue would hand it out again, as far as we know. */
  leaseUntilMs: number;
  /** Told apart from other holds of the same message, for the heartbeat. */
  readonly key: number;
  delivery: Delivery | undefined;
  /** No longer ours; nothing may be asked of the queue for it. */
  isLost = false;
  /** Set while a handler has it: stops that handler. */
  abort: ((reason: Error) => void) | undefined;

  static #keys = 0;

  constructor(raw: RawMessage, receivedAtMs: number, leaseUntilMs: number, lane: string | undefined) {
    this.raw = raw;
    this.id = raw.MessageId ?? "";
    this.receipt = raw.ReceiptHandle ?? "";
    this.attempt = Number(raw.Attributes?.["ApproximateReceiveCount"] ?? 1);
    this.receivedAtMs = receivedAtMs;
    this.leaseUntilMs = leaseUntilMs;
    this.lane = lane;
    this.key = HeldMessage.#keys++;
  }
}
