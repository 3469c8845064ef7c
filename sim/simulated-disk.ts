// The disk as one life of the machine sees it: the test disk behind a delay in simulated time. When the life is over,
// or the power goes during a call, the call never comes back, as it would not for a process that is no more.

import type { Random } from "../src/base/random.ts";
import type { Disk, DiskFile } from "../src/log/index.ts";
import type { TestDisk } from "../src/log/test-disk.ts";
import type { Life, SimulatedTime } from "./simulated-time.ts";

export interface DiskDelays {
  /** How often a call takes time at all. */
  share: number;
  msMax: number;
  /** How often it takes very long instead. */
  stallShare: number;
  stallMsMax: number;
}

export class SimulatedDisk implements Disk {
  readonly #disk: TestDisk;
  readonly #time: SimulatedTime;
  readonly #life: Life;
  readonly #random: Random;
  readonly #delays: DiskDelays;
  readonly #onPowerLost: () => void;

  constructor(
    disk: TestDisk,
    time: SimulatedTime,
    life: Life,
    random: Random,
    delays: DiskDelays,
    onPowerLost: () => void,
  ) {
    this.#disk = disk;
    this.#time = time;
    this.#life = life;
    this.#random = random;
    this.#delays = delays;
    this.#onPowerLost = onPowerLost;
  }

  async open(path: string, mode: "read" | "write" | "create"): Promise<DiskFile> {
    const file = await this.#take(() => this.#disk.open(path, mode));
    return {
      read: (into, position) => this.#slowly(() => file.read(into, position)),
      write: (parts, position) => this.#slowly(() => file.write(parts, position)),
      datasync: () => this.#slowly(() => file.datasync()),
      size: () => this.#take(() => file.size()),
      close: () => this.#take(() => file.close()),
    };
  }

  rename(from: string, to: string): Promise<void> {
    return this.#take(() => this.#disk.rename(from, to));
  }

  remove(path: string): Promise<void> {
    return this.#take(() => this.#disk.remove(path));
  }

  makeFolder(path: string): Promise<void> {
    return this.#take(() => this.#disk.makeFolder(path));
  }

  list(path: string): Promise<string[]> {
    return this.#take(() => this.#disk.list(path));
  }

  syncFolder(path: string): Promise<void> {
    return this.#slowly(() => this.#disk.syncFolder(path));
  }

  lock: Disk["lock"] = (path) => this.#take(() => this.#disk.lock(path));

  /** The time passes before the disk acts or after it did: a crash meanwhile finds it done, or not. */
  async #slowly<Value>(act: () => Promise<Value>): Promise<Value> {
    const delayMs = this.#delayMs();
    if (delayMs === 0) return this.#take(act);
    if (this.#random.chance(0.5)) {
      await this.#pass(delayMs);
      return this.#take(act);
    }
    const outcome = await this.#take(() =>
      act().then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error;
        },
      ),
    );
    await this.#pass(delayMs);
    return outcome();
  }

  #take<Value>(act: () => Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      if (this.#life.isOver) return;
      act().then(
        (value) => this.#comeBack(() => resolve(value)),
        (error: unknown) => this.#comeBack(() => reject(error)),
      );
    });
  }

  #comeBack(come: () => void): void {
    if (this.#life.isOver) return;
    if (this.#disk.isStopped) this.#onPowerLost();
    else come();
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#time.setTimer(this.#time.nowMs + ms, () => {
        if (!this.#life.isOver) resolve();
      });
    });
  }

  #delayMs(): number {
    const { share, msMax, stallShare, stallMsMax } = this.#delays;
    if (!this.#random.chance(share)) return 0;
    return 1 + this.#random.below(this.#random.chance(stallShare) ? stallMsMax : msMax);
  }
}
