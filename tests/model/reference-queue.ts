// A queue as one would write it on a page: arrays, linear scans, times compared. Slow and obviously right; the engine
// is held against it. It knows what a receive may return, not in which order a standard queue returns it.

export interface ReferenceMessage {
  id: string;
  group: string | undefined;
  seq: number;
  retainFromMs: number;
  /** Hidden until then, by delay or by a receive. */
  hiddenUntilMs: number;
  hiddenBy: "delay" | "receive" | "nothing";
  receivedAtMs: number;
  receives: number;
  /** How often it was handed out by this queue: tells handles apart. */
  handouts: number;
}

export interface ReferenceConfig {
  fifo: boolean;
  visibilityTimeoutMs: number;
  delayMs: number;
  retentionMs: number;
  maxReceiveCount?: number;
}

const DEDUPLICATION_MS = 300_000;

export class ReferenceQueue {
  readonly config: ReferenceConfig;
  messages: ReferenceMessage[] = [];
  deduplication: { key: string; id: string; untilMs: number }[] = [];
  /** By group of a FIFO queue: the seq that came next when it was last handed out from. */
  turns = new Map<string | undefined, number>();

  constructor(config: ReferenceConfig) {
    this.config = config;
  }

  /** The id of the first message with that deduplication id in the last five minutes. */
  duplicateOf(key: string, nowMs: number): string | undefined {
    return this.deduplication.find((entry) => entry.key === key && entry.untilMs > nowMs)?.id;
  }

  add(id: string, seq: number, nowMs: number, delayMs: number, more: Partial<ReferenceMessage> = {}): void {
    this.messages.push({
      id,
      seq,
      group: undefined,
      retainFromMs: nowMs,
      hiddenUntilMs: nowMs + delayMs,
      hiddenBy: delayMs > 0 ? "delay" : "nothing",
      receivedAtMs: 0,
      receives: 0,
      handouts: 0,
      ...more,
    });
    this.messages.sort((a, b) => a.seq - b.seq);
  }

  remember(key: string, id: string, nowMs: number): void {
    this.deduplication.push({ key, id, untilMs: nowMs + DEDUPLICATION_MS });
  }

  advanceTo(nowMs: number): void {
    this.messages = this.messages.filter((message) => message.retainFromMs + this.config.retentionMs > nowMs);
    for (const message of this.messages) {
      if (message.hiddenUntilMs <= nowMs) message.hiddenBy = "nothing";
    }
  }

  /** When something next changes by time alone. */
  nextChangeMs(nowMs: number): number | undefined {
    const moments = [
      ...this.messages.filter((message) => message.hiddenBy !== "nothing").map((message) => message.hiddenUntilMs),
      ...this.messages.map((message) => message.retainFromMs + this.config.retentionMs),
      ...this.deduplication.map((entry) => entry.untilMs),
    ];
    const ahead = moments.filter((atMs) => atMs > nowMs);
    return ahead.length === 0 ? undefined : Math.min(...ahead);
  }

  find(id: string): ReferenceMessage | undefined {
    return this.messages.find((message) => message.id === id);
  }

  remove(id: string): void {
    this.messages = this.messages.filter((message) => message.id !== id);
  }

  isSpent(message: ReferenceMessage): boolean {
    return this.config.maxReceiveCount !== undefined && message.receives >= this.config.maxReceiveCount;
  }

  /** What a receive may take now. On FIFO in the order it must take it. */
  available(): ReferenceMessage[] {
    if (!this.config.fifo) return this.messages.filter((message) => message.hiddenBy === "nothing");
    const groups = [...new Set(this.messages.map((message) => message.group))];
    const open = groups.map((group) => {
      const members = this.messages.filter((message) => message.group === group);
      const firstHidden = members.findIndex((message) => message.hiddenBy !== "nothing");
      return firstHidden < 0 ? members : members.slice(0, firstHidden);
    });
    const withSome = open.filter((members) => members.length > 0);
    // A group that was handed out from goes behind those that wait.
    const place = ([first]: ReferenceMessage[]) => {
      const { seq, group } = first as ReferenceMessage;
      return [Math.max(seq, this.turns.get(group) ?? 0), seq] as const;
    };
    withSome.sort((a, b) => place(a)[0] - place(b)[0] || place(a)[1] - place(b)[1]);
    return withSome.flat();
  }

  handOut(message: ReferenceMessage, visibilityTimeoutMs: number, nowMs: number, nextSeq: number): void {
    this.turns.set(message.group, nextSeq);
    message.receives += 1;
    message.handouts += 1;
    message.receivedAtMs = nowMs;
    if (visibilityTimeoutMs > 0) this.hide(message, nowMs + visibilityTimeoutMs);
  }

  hide(message: ReferenceMessage, untilMs: number): void {
    message.hiddenBy = "receive";
    message.hiddenUntilMs = untilMs;
  }

  counts(): { ready: number; delayed: number; inFlight: number } {
    const count = (hiddenBy: ReferenceMessage["hiddenBy"]) =>
      this.messages.filter((message) => message.hiddenBy === hiddenBy).length;
    return { ready: count("nothing"), delayed: count("delay"), inFlight: count("receive") };
  }
}
