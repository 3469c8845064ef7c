// The endpoints that subscribe, as the server reaches them: each is well, slow, broken, wrong, silent or unreachable
// for a while, and remembers what it got. What reaches the server of an answer decides what the server may do next:
// an endpoint that was heard to take a message is not sent it again, unless what the server decided was undone.

import { Random } from "../../src/base/random.ts";
import type { Outbound, OutboundPost, OutboundResult } from "../../src/host/outbound.ts";
import type { Books } from "../books.ts";
import type { Life } from "../simulated-time.ts";
import { Violation } from "../trace.ts";
import type { World } from "../world.ts";
import type { CopyBook, DeliveryState, SlotBook } from "./topic-books.ts";
import { copyOf } from "./topic-checks.ts";
import { newCopyMessage } from "./topic-clients.ts";

type Mood = "well" | "slow" | "broken" | "wrong" | "silent" | "unreachable" | "forgetful" | "fickle";

const MOODS: readonly Mood[] = [
  "well",
  "well",
  "well",
  "slow",
  "broken",
  "wrong",
  "silent",
  "unreachable",
  "forgetful",
];
const PHASE_MS = 30_000;
const SLOW_MS = 8000;

/** What becomes of a post: the endpoint may have taken it although nobody hears so. */
interface Reaction {
  isTaken: boolean;
  afterMs: number;
  result: OutboundResult;
}

export class Endpoints {
  readonly #world: World;
  readonly #books: Books;
  readonly #random: Random;
  #isHealed = false;

  constructor(world: World, books: Books) {
    this.#world = world;
    this.#books = books;
    this.#random = new Random(world.plan.seed ^ 0x6c07_8965);
  }

  heal(): void {
    this.#isHealed = true;
  }

  outboundOf(life: Life): Outbound {
    return {
      post: (post, signal) => {
        try {
          return this.#post(post, signal, life);
        } catch (error) {
          this.#world.violated(error);
          return Promise.resolve({ is: "failed", reason: "The simulation is over.", forGood: false });
        }
      },
    };
  }

  #post(post: OutboundPost, signal: AbortSignal, life: Life): Promise<OutboundResult> {
    const slot = this.#books.topics.slotByUrl.get(post.url);
    if (slot === undefined) throw new Violation("nothing is invented", `a post to ${post.url}`);
    this.#world.counts.posts += 1;
    const reaction = this.#reactionOf(slot, post.timeoutMs);
    const copy = this.#read(slot, post);
    const what = copy?.label ?? `${post.headers["x-amz-sns-message-type"]} ${post.url}`;
    this.#world.note(`post ${what}`);
    if (copy?.delivery !== undefined) this.#begin(copy, copy.delivery);
    return new Promise((resolve) => {
      let isOver = false;
      const end = (result: OutboundResult, isHeard: boolean) => {
        if (isOver || life.isOver) return;
        isOver = true;
        signal.removeEventListener("abort", hangUp);
        this.#world.note(`post ${what} -> ${result.is === "answered" ? result.status : result.reason}`);
        if (isHeard && copy?.delivery !== undefined) this.#hear(copy, copy.delivery, result);
        resolve(result);
      };
      const hangUp = () => end({ is: "failed", reason: "The server stopped.", forGood: false }, false);
      signal.addEventListener("abort", hangUp);
      this.#world.time.setTimer(this.#world.nowMs + reaction.afterMs, () => {
        if (reaction.isTaken && !isOver && copy?.delivery !== undefined) copy.delivery.isDelivered = true;
        end(reaction.result, true);
      });
      if (signal.aborted) hangUp();
    });
  }

  /** What kind of post it is, and of which publication the copy. */
  #read(slot: SlotBook, post: OutboundPost): CopyBook | undefined {
    const type = post.headers["x-amz-sns-message-type"];
    if (type !== "Notification") {
      const { Token: token, Type: said } = JSON.parse(post.body) as { Token: string; Type: string };
      if (said !== type) throw new Violation("a confirmation says what it is", `${type} is ${said}`);
      if (type === "SubscriptionConfirmation") {
        slot.token = token;
        slot.askedCount += 1;
      }
      return undefined;
    }
    const arn = post.headers["x-amz-sns-subscription-arn"] as string;
    const named = this.#books.topics.slotByArn.get(arn);
    if (named === undefined && slot.state !== "no") this.#books.topics.named(slot, arn);
    else if (named !== slot) throw new Violation("a copy goes to its subscriber", `${arn} is not at ${post.url}`);
    const copy = copyOf(this.#books, Buffer.from(post.body), undefined);
    if (copy.slot !== slot) throw new Violation("a copy goes to its subscriber", `${copy.label} is at ${post.url}`);
    return copy;
  }

  #begin(copy: CopyBook, delivery: DeliveryState): void {
    const { heard, isOver } = delivery;
    if (isOver) throw new Violation("what is gone stays gone", `${copy.label} is posted`);
    const { disturbances } = this.#world;
    if (heard !== undefined && heard.is !== "retry" && heard.disturbances === disturbances) {
      throw new Violation("an endpoint that answered is left alone", `${copy.label} is posted again`);
    }
    delivery.postCount += 1;
    const postsMax = 1 + copy.slot.plan.retriesMax + disturbances - delivery.disturbancesBefore;
    if (delivery.postCount > postsMax) {
      throw new Violation(
        "an endpoint is tried as often as its policy says",
        `${copy.label} for the ${delivery.postCount}th time`,
      );
    }
  }

  #hear(copy: CopyBook, delivery: DeliveryState, result: OutboundResult): void {
    const world = this.#world;
    const disturbances = world.isSteady ? world.disturbances : Number.NaN;
    const isWell = result.is === "answered" && result.status < 300;
    const isFinal = result.is === "answered" && result.status < 500 && result.status !== 429;
    // Attempts may have been cut short before they became a post.
    const attemptsMax = delivery.postCount + world.disturbances - delivery.disturbancesBefore;
    const mayBeSpent = attemptsMax > copy.slot.plan.retriesMax;
    if (isWell) delivery.heard = { is: "delivered", disturbances };
    else if (isFinal || mayBeSpent) {
      const isCertain = isFinal || delivery.postCount > copy.slot.plan.retriesMax;
      delivery.heard = { is: isCertain ? "giveUp" : "retry", disturbances };
      this.#giveUp(copy, delivery);
    } else delivery.heard = { is: "retry", disturbances };
  }

  /** The dead-letter queue may get it now. */
  #giveUp(copy: CopyBook, delivery: DeliveryState): void {
    const { deadLetters } = copy.slot.plan;
    const queue = deadLetters === undefined ? undefined : this.#books.queueOf(deadLetters);
    delivery.giveUpCount += 1;
    this.#world.counts.gaveUp += 1;
    if (queue === undefined || queue.exists === "no") return;
    const { message } = copy;
    if (message?.fate === "stored") return;
    if (message !== undefined && message.gone === undefined) {
      if (message.starts?.includes(queue) === true) return;
      message.starts?.push(queue);
      delivery.isDeadLetterCertain = false;
      return;
    }
    delivery.isDeadLetterCertain = queue.exists === "yes";
    const label = `${copy.label}#${delivery.giveUpCount}`;
    newCopyMessage(this.#books, copy, [queue], label, this.#world.plan.actions.length, true);
    if (copy.message !== undefined) copy.message.fate = "unknown";
  }

  #reactionOf(slot: SlotBook, timeoutMs: number): Reaction {
    const random = this.#random;
    const afterMs = random.pick([0, 1, 20, 200]);
    switch (this.#moodOf(slot, random)) {
      case "well":
        return { isTaken: true, afterMs, result: { is: "answered", status: random.pick([200, 200, 202, 204]) } };
      case "slow":
        return { isTaken: true, afterMs: random.below(SLOW_MS), result: { is: "answered", status: 200 } };
      case "broken":
        return { isTaken: false, afterMs, result: { is: "answered", status: random.pick([500, 502, 503, 429]) } };
      case "wrong":
        return { isTaken: false, afterMs, result: { is: "answered", status: random.pick([301, 400, 403, 404]) } };
      case "unreachable":
        return { isTaken: false, afterMs: 0, result: failed("The connection was refused.") };
      case "forgetful":
        return { isTaken: true, afterMs, result: failed("The connection was closed before an answer came.") };
      default:
        return { isTaken: false, afterMs: timeoutMs, result: failed("No answer came in time.") };
    }
  }

  #moodOf({ plan }: SlotBook, random: Random): Mood {
    if (this.#isHealed) return "well";
    const phase = Math.floor(this.#world.nowMs / PHASE_MS);
    let mixed = this.#world.plan.seed ^ phase;
    for (let index = 0; index < plan.endpoint.length; index++) {
      mixed = Math.imul(mixed, 31) + plan.endpoint.charCodeAt(index);
    }
    const mood = new Random(mixed).pick([...MOODS, "fickle" as const]);
    return mood === "fickle" ? random.pick(MOODS) : mood;
  }
}

function failed(reason: string): OutboundResult {
  return { is: "failed", reason, forGood: false };
}
