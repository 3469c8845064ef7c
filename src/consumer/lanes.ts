// Messages that wait for a slot, in lanes. Within a lane they leave in the order in which they came, and only so many
// at a time run; lanes take turns. A FIFO queue's message groups are lanes of limit 1, which is all that order within a
// group and parallelism over groups need. Every step is O(1) but the removal of one message from its lane.

export interface LaneMember {
  readonly lane: string | undefined;
}

interface Lane<Member> {
  key: string | undefined;
  waiting: Member[];
  running: number;
  isReady: boolean;
}

export class Lanes<Member extends LaneMember> {
  readonly #limit: number;
  readonly #lanes = new Map<string | undefined, Lane<Member>>();
  /** Lanes from which a member may leave now, in turn. */
  readonly #ready: Lane<Member>[] = [];
  #waiting = 0;
  #waitingWithoutLane = 0;

  /** `limit` is how many of a lane may run at once; members without a lane know none. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** How many could leave now, as far as that can be told cheaply: one for each lane. */
  get startable(): number {
    return this.#waitingWithoutLane > 0 ? this.#waitingWithoutLane + this.#ready.length - 1 : this.#ready.length;
  }

  add(member: Member): void {
    const lane = this.#laneOf(member.lane);
    lane.waiting.push(member);
    this.#count(lane, 1);
    this.#readyUp(lane);
  }

  /** In front of its lane: for one that had left and did not get to run. */
  addFirst(member: Member): void {
    const lane = this.#laneOf(member.lane);
    lane.waiting.unshift(member);
    this.#count(lane, 1);
    this.#readyUp(lane);
  }

  /** Takes the next one out; it counts as running until `finish`. */
  next(): Member | undefined {
    const lane = this.#ready.shift();
    if (lane === undefined) return undefined;
    lane.isReady = false;
    const member = lane.waiting.shift() as Member;
    this.#count(lane, -1);
    lane.running += 1;
    this.#readyUp(lane);
    return member;
  }

  /** Takes one more out of the lane that `next` gave from, whatever the limit: for a batch that is worked on in order. */
  more(key: string | undefined): Member | undefined {
    const lane = this.#lanes.get(key);
    const member = lane?.waiting.shift();
    if (lane === undefined || member === undefined) return undefined;
    this.#count(lane, -1);
    lane.running += 1;
    if (lane.waiting.length === 0) this.#unready(lane);
    return member;
  }

  finish(member: Member): void {
    const lane = this.#laneOf(member.lane);
    lane.running -= 1;
    this.#readyUp(lane);
    this.#dropWhenEmpty(lane);
  }

  /** Takes out whatever waits in this lane. */
  takeLane(key: string | undefined): Member[] {
    const lane = this.#lanes.get(key);
    return lane === undefined ? [] : this.#empty(lane);
  }

  takeAll(): Member[] {
    return [...this.#lanes.values()].flatMap((lane) => this.#empty(lane));
  }

  /** Those that wait in this lane, first to leave first; not to be changed. */
  inLane(key: string | undefined): readonly Member[] {
    return this.#lanes.get(key)?.waiting ?? [];
  }

  /** False when it was not waiting. */
  remove(member: Member): boolean {
    const lane = this.#lanes.get(member.lane);
    const index = lane?.waiting.indexOf(member) ?? -1;
    if (lane === undefined || index < 0) return false;
    lane.waiting.splice(index, 1);
    this.#count(lane, -1);
    if (lane.waiting.length === 0) this.#unready(lane);
    this.#dropWhenEmpty(lane);
    return true;
  }

  #laneOf(key: string | undefined): Lane<Member> {
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = { key, waiting: [], running: 0, isReady: false };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  #empty(lane: Lane<Member>): Member[] {
    const { waiting } = lane;
    lane.waiting = [];
    this.#count(lane, -waiting.length);
    this.#unready(lane);
    this.#dropWhenEmpty(lane);
    return waiting;
  }

  #readyUp(lane: Lane<Member>): void {
    const limit = lane.key === undefined ? Number.POSITIVE_INFINITY : this.#limit;
    if (lane.isReady || lane.waiting.length === 0 || lane.running >= limit) return;
    lane.isReady = true;
    this.#ready.push(lane);
  }

  #unready(lane: Lane<Member>): void {
    if (!lane.isReady) return;
    lane.isReady = false;
    this.#ready.splice(this.#ready.indexOf(lane), 1);
  }

  #dropWhenEmpty(lane: Lane<Member>): void {
    if (lane.waiting.length === 0 && lane.running === 0) this.#lanes.delete(lane.key);
  }

  #count(lane: Lane<Member>, by: number): void {
    this.#waiting += by;
    if (lane.key === undefined) this.#waitingWithoutLane += by;
  }
}
