// Messages on their way to one call of the function: at most as many as the mapping's batch size, and as large as a
// request to a function may be. What is added once is never taken out again.

import { assert } from "../../base/assert.ts";
import type { ReceivedMessage } from "../../engine/command.ts";
import { FUNCTION_REQUEST_BYTES_MAX } from "../../engine/function-limits.ts";
import type { LambdaRecord } from "./lambda-record.ts";

/** A message that was received, passed the filter, and is held until its visibility timeout runs out. */
export interface HeldMessage {
  id: string;
  receiptHandle: string;
  groupId: string | undefined;
  sentAtMs: number;
  heldUntilMs: number;
  /** Its record as JSON. */
  json: Buffer;
}

export function heldMessage(message: ReceivedMessage, record: LambdaRecord, heldUntilMs: number): HeldMessage {
  return {
    id: message.messageId,
    receiptHandle: message.receiptHandle,
    groupId: message.groupId,
    sentAtMs: message.sentAtMs,
    heldUntilMs,
    json: Buffer.from(JSON.stringify(record)),
  };
}

const HEAD = Buffer.from('{"Records":[');
const COMMA = Buffer.from(",");
const TAIL = Buffer.from("]}");

export class Batch {
  readonly messages: HeldMessage[] = [];
  readonly #sizeMax: number;
  #bytes = HEAD.length + TAIL.length;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get isEmpty(): boolean {
    return this.messages.length === 0;
  }

  get isFull(): boolean {
    return this.messages.length >= this.#sizeMax;
  }

  /** Messages that would still count into it. */
  get room(): number {
    return this.#sizeMax - this.messages.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The first moment at which one of its messages is no longer held. */
  get heldUntilMs(): number {
    return this.messages.reduce((least, { heldUntilMs }) => Math.min(least, heldUntilMs), Number.POSITIVE_INFINITY);
  }

  /** False when it does not fit; it then has to go into the next one. */
  add(message: HeldMessage): boolean {
    if (this.isFull) return false;
    const bytes = this.#bytes + message.json.length + (this.isEmpty ? 0 : COMMA.length);
    if (bytes > FUNCTION_REQUEST_BYTES_MAX) {
      // A message of the largest size, all of it escaped, is a third of what a request may be.
      assert(!this.isEmpty, "one message always fits");
      return false;
    }
    this.#bytes = bytes;
    this.messages.push(message);
    return true;
  }

  payload(): Buffer {
    const parts: Buffer[] = [HEAD];
    for (const [index, { json }] of this.messages.entries()) {
      if (index > 0) parts.push(COMMA);
      parts.push(json);
    }
    parts.push(TAIL);
    return Buffer.concat(parts, this.#bytes);
  }
}
