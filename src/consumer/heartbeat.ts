// Extends the visibility timeout of everything that is held, whether it is being worked on or waits for a slot, until
// it is released, refused or held too long. Ten messages share a request. A beat that fails is tried again soon; only
// when the visibility timeout has ended without a successful one is the message lost.
//
// The same class runs in the consumer's thread and, behind ThreadHeartbeat, in a thread of its own.

import type { Clock, TimerHandle } from "../base/clock.ts";
import { BATCH_ENTRIES_MAX, HELD_MARGIN_MS, HELD_MS_MAX, HELD_WARNING_MS } from "./limits.ts";
import type { QueuePort } from "./queue-port.ts";

/** A hold of a message, as the heartbeat knows it. */
export interface Lease {
  key: number;
  messageId: string;
  receipt: string;
  receivedAtMs: number;
  /** When the queue would hand it out again. */
  untilMs: number;
}

export interface HeartbeatSettings {
  queueUrl: string;
  /** Absent: nothing is extended, and a hold is lost when its visibility timeout ends. */
  beats?: { everyMs: number; extendByMs: number };
  /** No message is held longer. */
  maxMs: number;
}

export type HeartbeatNews =
  | { kind: "extended"; key: number; untilMs: number }
  /** Not ours any more. */
  | { kind: "lost"; key: number; why: string }
  /** As long as allowed; still ours for a moment. */
  | { kind: "limit"; key: number; heldMs: number }
  | { kind: "heldLong"; messageId: string; heldMs: number }
  | { kind: "failed"; messageIds: string[]; error: unknown }
  | { kind: "beat" };

export interface HeartbeatPort {
  hold(lease: Lease): void;
  /** The hold was extended by somebody else, or has a newer receipt. */
  update(key: number, change: { receipt?: string; untilMs: number }): void;
  /** Resolves when no extension of this hold is on its way any more: what is asked of the queue now is the last word. */
  release(key: number): Promise<void>;
  close(): Promise<void>;
}

interface Beating extends Lease {
  nextAtMs: number;
  hasWarned: boolean;
  onTheWay: Promise<void> | undefined;
}

/** Beats that are due within this share of the interval go along with one that is due. */
const COALESCE_SHARE = 0.2;
const RETRY_MS_MAX = 5000;

export class Heartbeat implements HeartbeatPort {
  readonly #port: QueuePort;
  readonly #clock: Clock;
  readonly #settings: HeartbeatSettings;
  readonly #tell: (news: HeartbeatNews) => void;
  readonly #leases = new Map<number, Beating>();
  readonly #maxMs: number;
  #timer: (TimerHandle & { atMs: number }) | undefined;

  constructor(port: QueuePort, clock: Clock, settings: HeartbeatSettings, tell: (news: HeartbeatNews) => void) {
    this.#port = port;
    this.#clock = clock;
    this.#settings = settings;
    this.#tell = tell;
    this.#maxMs = Math.min(settings.maxMs, HELD_MS_MAX - HELD_MARGIN_MS);
  }

  hold(lease: Lease): void {
    const beating = { ...lease, nextAtMs: 0, hasWarned: false, onTheWay: undefined };
    this.#leases.set(lease.key, beating);
    this.#plan(beating);
  }

  update(key: number, change: { receipt?: string; untilMs: number }): void {
    const lease = this.#leases.get(key);
    if (lease === undefined) return;
    Object.assign(lease, change);
    this.#plan(lease);
  }

  async release(key: number): Promise<void> {
    const lease = this.#leases.get(key);
    if (lease === undefined) return;
    this.#leases.delete(key);
    if (this.#leases.size === 0) this.#disarm();
    await lease.onTheWay;
  }

  async close(): Promise<void> {
    const onTheWay = [...this.#leases.values()].map((lease) => lease.onTheWay);
    this.#leases.clear();
    this.#disarm();
    await Promise.all(onTheWay);
  }

  /** When the lease is looked at next: a beat, or the end where there are none. */
  #plan(lease: Beating): void {
    const { beats } = this.#settings;
    const limitAtMs = lease.receivedAtMs + this.#maxMs;
    // An extension that somebody asked for is longer than ours, and must not be cut short by a beat.
    const beatAtMs =
      beats === undefined
        ? lease.untilMs
        : Math.max(this.#clock.nowMs() + beats.everyMs, lease.untilMs - beats.extendByMs + beats.everyMs);
    lease.nextAtMs = Math.min(limitAtMs, beatAtMs);
    this.#armFor(lease.nextAtMs);
  }

  #armFor(atMs: number): void {
    if (this.#timer !== undefined && this.#timer.atMs <= atMs) return;
    this.#disarm();
    const timer = this.#clock.setTimer(atMs, () => this.#beat());
    this.#timer = { atMs, cancel: () => timer.cancel() };
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #beat(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.nowMs();
    const everyMs = this.#settings.beats?.everyMs ?? 0;
    const due: Beating[] = [];
    for (const lease of this.#leases.values()) {
      if (lease.onTheWay !== undefined) continue;
      const isDue = lease.nextAtMs <= nowMs;
      if (isDue && this.#hasEnded(lease, nowMs)) continue;
      if (lease.nextAtMs <= nowMs + everyMs * COALESCE_SHARE) due.push(lease);
    }
    if (this.#settings.beats !== undefined) {
      for (let from = 0; from < due.length; from += BATCH_ENTRIES_MAX) {
        const batch = due.slice(from, from + BATCH_ENTRIES_MAX);
        const onTheWay = this.#extend(batch, nowMs).finally(() => {
          for (const lease of batch) lease.onTheWay = undefined;
          this.#armForAll();
        });
        for (const lease of batch) lease.onTheWay = onTheWay;
      }
    }
    this.#armForAll();
  }

  /** Takes a lease out that has run out or may not be held longer. */
  #hasEnded(lease: Beating, nowMs: number): boolean {
    const heldMs = nowMs - lease.receivedAtMs;
    if (nowMs >= lease.untilMs) {
      this.#leases.delete(lease.key);
      this.#tell({ kind: "lost", key: lease.key, why: "its visibility timeout ended" });
      return true;
    }
    if (heldMs >= this.#maxMs) {
      this.#leases.delete(lease.key);
      this.#tell({ kind: "limit", key: lease.key, heldMs });
      return true;
    }
    if (heldMs >= HELD_WARNING_MS && !lease.hasWarned) {
      lease.hasWarned = true;
      this.#tell({ kind: "heldLong", messageId: lease.messageId, heldMs });
    }
    return false;
  }

  async #extend(batch: Beating[], nowMs: number): Promise<void> {
    const extendByMs = this.#settings.beats?.extendByMs ?? 0;
    const entries = batch.map((lease, index) => {
      const leftMs = lease.receivedAtMs + HELD_MS_MAX - nowMs - 1000;
      return {
        id: String(index),
        receipt: lease.receipt,
        timeoutSeconds: Math.max(1, Math.ceil(Math.min(extendByMs, leftMs) / 1000)),
      };
    });
    try {
      const failed = await this.#port.changeVisibility(this.#settings.queueUrl, entries);
      this.#tell({ kind: "beat" });
      const failures = new Map(failed.map((entry) => [entry.id, entry]));
      batch.forEach((lease, index) => {
        const failure = failures.get(String(index));
        if (failure === undefined) this.#extended(lease, nowMs + (entries[index]?.timeoutSeconds ?? 0) * 1000);
        else if (failure.isSenderFault) this.#lost(lease, `${failure.code}: ${failure.message ?? ""}`);
        else this.#retry([lease], failure);
      });
    } catch (error) {
      this.#retry(batch, error);
    }
  }

  #extended(lease: Beating, untilMs: number): void {
    if (!this.#leases.has(lease.key)) return;
    lease.untilMs = Math.max(lease.untilMs, untilMs);
    this.#plan(lease);
    this.#tell({ kind: "extended", key: lease.key, untilMs: lease.untilMs });
  }

  #lost(lease: Beating, why: string): void {
    // A release that came meanwhile means that the message is settled, which is why the queue refused.
    if (this.#leases.delete(lease.key)) this.#tell({ kind: "lost", key: lease.key, why });
  }

  #retry(batch: Beating[], error: unknown): void {
    const nowMs = this.#clock.nowMs();
    const everyMs = this.#settings.beats?.everyMs ?? 0;
    for (const lease of batch) {
      const retryAtMs = nowMs + Math.min(RETRY_MS_MAX, Math.max(100, everyMs / 4));
      lease.nextAtMs = nowMs < lease.untilMs ? Math.min(retryAtMs, lease.untilMs) : nowMs;
    }
    const ours = batch.filter((lease) => this.#leases.has(lease.key));
    if (ours.length > 0) this.#tell({ kind: "failed", messageIds: ours.map(({ messageId }) => messageId), error });
  }

  #armForAll(): void {
    let nextAtMs = Number.POSITIVE_INFINITY;
    for (const lease of this.#leases.values()) {
      if (lease.onTheWay === undefined) nextAtMs = Math.min(nextAtMs, lease.nextAtMs);
    }
    if (nextAtMs < Number.POSITIVE_INFINITY) this.#armFor(nextAtMs);
  }
}
