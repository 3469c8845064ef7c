// How the supervisor sees its queue: through the admin API where there is a Millpond, else through GetQueueAttributes
// alone, as at AWS, where there are no counters and no ages.

import type { Reading } from "../work/index.ts";
import type { Call } from "./command.ts";
import { CliError } from "./exit-codes.ts";
import { QueueClient } from "./queue-client.ts";

/** The answer of `/_millpond/queues/…/load`. */
interface Load {
  visibleCount: number;
  inFlightCount: number;
  delayedCount: number;
  oldestAgeMs: number;
  groupCount?: number;
  epoch: number;
  arrivedCount: number;
  receivedCount: number;
  deletedCount: number;
  heldMs: number;
}

/** What a server answers that is no Millpond, or one that is older than this. */
const NO_LOAD = ["NotFound", "NotMillpond", "Unknown"];
const COUNTS = [
  "ApproximateNumberOfMessages",
  "ApproximateNumberOfMessagesNotVisible",
  "ApproximateNumberOfMessagesDelayed",
] as const;

export class WatchedQueue {
  readonly url: string;
  readonly client: QueueClient;
  #hasLoad: boolean | undefined;

  private constructor(url: string, client: QueueClient) {
    this.url = url;
    this.client = client;
    if (client.isAws) this.#hasLoad = false;
  }

  /** Finds the queue by name or URL. Throws a CliError when there is none, or no server. */
  static async find(call: Call, queue: string): Promise<WatchedQueue> {
    const isUrl = /^https?:\/\//.test(queue) && URL.canParse(queue);
    const flags = isUrl ? { ...call.flags, endpoint: call.flags["endpoint"] ?? new URL(queue).origin } : call.flags;
    const client = new QueueClient({ ...call, flags });
    if (isUrl) {
      await client.call("GetQueueAttributes", { QueueUrl: queue, AttributeNames: COUNTS });
      return new WatchedQueue(queue, client);
    }
    const { QueueUrl } = await client.call<{ QueueUrl: string }>("GetQueueUrl", { QueueName: queue });
    return new WatchedQueue(QueueUrl, client);
  }

  get name(): string {
    return this.url.slice(this.url.lastIndexOf("/") + 1);
  }

  /** False: only what AWS shows. Known after the first reading. */
  get hasCounters(): boolean {
    return this.#hasLoad === true;
  }

  /** Throws a CliError. */
  async read(): Promise<Reading> {
    if (this.#hasLoad === false) return this.#readCounts();
    try {
      const reading = await this.#readLoad();
      this.#hasLoad = true;
      return reading;
    } catch (error) {
      const isElsewhere = this.#hasLoad === undefined && error instanceof CliError && NO_LOAD.includes(error.code);
      if (!isElsewhere) throw error;
      this.#hasLoad = false;
      return this.#readCounts();
    }
  }

  async #readLoad(): Promise<Reading> {
    const account = new URL(this.url).pathname.split("/").at(-2) || this.client.account;
    const path = `/_millpond/queues/${account}/${this.client.region}/${encodeURIComponent(this.name)}/load`;
    const load = await this.client.admin<Load>(path);
    return {
      visible: load.visibleCount,
      inFlight: load.inFlightCount,
      delayed: load.delayedCount,
      oldestAgeMs: load.oldestAgeMs,
      ...(load.groupCount === undefined ? {} : { groupCount: load.groupCount }),
      traffic: {
        epoch: load.epoch,
        arrived: load.arrivedCount,
        received: load.receivedCount,
        deleted: load.deletedCount,
        heldMs: load.heldMs,
      },
    };
  }

  async #readCounts(): Promise<Reading> {
    const { Attributes = {} } = await this.client.call<{ Attributes?: Record<string, string> }>("GetQueueAttributes", {
      QueueUrl: this.url,
      AttributeNames: COUNTS,
    });
    const [visible = 0, inFlight = 0, delayed = 0] = COUNTS.map((name) => Number(Attributes[name] ?? 0));
    return { visible, inFlight, delayed };
  }
}
