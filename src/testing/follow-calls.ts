// Knows when the clients of a test have nothing on the way: every call that they made is either answered or is a long
// poll that the server holds. Between two steps of a virtual clock this must be so, or time would run ahead of them.

/** An AWS SDK client, seen from here. */
export interface FollowedClient {
  // biome-ignore lint/suspicious/noExplicitAny: the SDK overloads `send` for every command
  send(...args: any[]): any;
}

/** Turns of the event loop without a new call after which nothing is regarded as under way. */
const QUIET_TURNS = 3;

export class FollowedCalls {
  #open = 0;
  /** Grows with every call and answer: whoever sees it twice unchanged saw a standstill. */
  #changes = 0;
  #isFollowing = false;
  readonly #settleServer: () => Promise<void>;
  readonly #waitingReceives: () => number;

  constructor(settleServer: () => Promise<void>, waitingReceives: () => number) {
    this.#settleServer = settleServer;
    this.#waitingReceives = waitingReceives;
  }

  follow<Client extends FollowedClient>(client: Client): Client {
    this.#isFollowing = true;
    const send = client.send.bind(client);
    client.send = (...args) => {
      this.#move(1);
      const answer = send(...args);
      Promise.resolve(answer).then(
        () => this.#move(-1),
        () => this.#move(-1),
      );
      return answer;
    };
    return client;
  }

  async settle(): Promise<void> {
    await this.#settleServer();
    if (!this.#isFollowing) return;
    let quietTurns = 0;
    while (quietTurns < QUIET_TURNS) {
      const before = this.#changes;
      await new Promise((resolve) => setImmediate(resolve));
      const isQuiet = this.#changes === before && this.#open <= this.#waitingReceives();
      quietTurns = isQuiet ? quietTurns + 1 : 0;
      if (!isQuiet) await this.#settleServer();
    }
  }

  #move(by: number): void {
    this.#open += by;
    this.#changes += 1;
  }
}
