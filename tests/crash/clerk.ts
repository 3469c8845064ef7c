// Changes a queue's attributes and tags, creates and deletes queues, and after each restart holds what it finds
// against what was acknowledged: the last acknowledged change, or the one whose answer was lost. It does one thing at a
// time: a look while a change is under way would take what it sees for the last word.

import { ConnectionLost, type LeanClient } from "../support/lean-client.ts";
import type { Books } from "./books.ts";
import { queueUrl, sleep } from "./world.ts";

const LEDGER = "ledger";

export class Clerk {
  readonly #books: Books;
  /** Revisions that an attribute or the tag may show: one, or two while a change is unanswered. */
  #attribute = { known: 0, tried: 0 };
  #tag = { known: 0, tried: 0 };
  #queueNumber = 0;
  /** Of each short-lived queue: must be there, must be gone, or unanswered. */
  readonly #queues = new Map<string, "there" | "gone" | "unknown">();
  changes = 0;
  /** A change was lost: what came of it is looked up before the next one. */
  #isUncertain = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(books: Books) {
    this.#books = books;
  }

  async open(client: LeanClient): Promise<void> {
    await client.call("CreateQueue", { QueueName: LEDGER, Attributes: { DelaySeconds: "0" }, tags: { revision: "0" } });
  }

  step(client: LeanClient): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isUncertain) await this.#look(client);
      this.#isUncertain = true;
      await this.#change(client);
      this.#isUncertain = false;
      await sleep(20);
    });
  }

  /** After a restart. */
  check(client: LeanClient): Promise<void> {
    return this.#inTurn(async () => {
      try {
        await this.#look(client);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
    });
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #change(client: LeanClient): Promise<void> {
    const QueueUrl = queueUrl(LEDGER);
    this.#attribute.tried = (this.#attribute.tried + 1) % 900;
    await client.call("SetQueueAttributes", { QueueUrl, Attributes: { DelaySeconds: String(this.#attribute.tried) } });
    this.#attribute.known = this.#attribute.tried;
    this.#tag.tried += 1;
    await client.call("TagQueue", { QueueUrl, Tags: { revision: String(this.#tag.tried) } });
    this.#tag.known = this.#tag.tried;
    this.changes += 2;
    await this.#openAndClose(client);
  }

  async #openAndClose(client: LeanClient): Promise<void> {
    this.#queueNumber += 1;
    const name = `short-lived-${this.#queueNumber}`;
    await this.#changeQueue(name, "there", () => client.call("CreateQueue", { QueueName: name }));
    const older = `short-lived-${this.#queueNumber - 3}`;
    if (this.#queues.get(older) !== "there") return;
    await this.#changeQueue(older, "gone", () => client.call("DeleteQueue", { QueueUrl: queueUrl(older) }));
  }

  async #changeQueue(name: string, to: "there" | "gone", ask: () => Promise<unknown>): Promise<void> {
    this.#queues.set(name, "unknown");
    await ask();
    this.#queues.set(name, to);
    this.changes += 1;
  }

  async #look(client: LeanClient): Promise<void> {
    const QueueUrl = queueUrl(LEDGER);
    const { Attributes } = await client.call("GetQueueAttributes", { QueueUrl, AttributeNames: ["DelaySeconds"] });
    this.#compare("attribute", this.#attribute, Number(Attributes.DelaySeconds));
    const { Tags } = await client.call("ListQueueTags", { QueueUrl });
    this.#compare("tag", this.#tag, Number(Tags.revision));
    const { QueueUrls = [] } = await client.call("ListQueues", { QueueNamePrefix: "short-lived-", MaxResults: 1000 });
    const found = new Set((QueueUrls as string[]).map((url) => url.slice(url.lastIndexOf("/") + 1)));
    for (const [name, state] of this.#queues) {
      if (state === "there" && !found.has(name)) this.#books.finding(`queue ${name} was created and is not there`);
      if (state === "gone" && found.has(name)) this.#books.finding(`queue ${name} was deleted and is there again`);
      if (state === "unknown") this.#queues.set(name, found.has(name) ? "there" : "gone");
    }
    this.#isUncertain = false;
  }

  #compare(what: string, revision: { known: number; tried: number }, found: number): void {
    if (found !== revision.known && found !== revision.tried) {
      this.#books.finding(`the ${what} is ${found}; ${revision.known} was acknowledged and ${revision.tried} tried`);
    }
    revision.known = found;
    revision.tried = found;
  }
}
