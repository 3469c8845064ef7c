// Requests in the order in which they go out, each with what came of it in the trace.

import type { CommandKind, CommandOf, Outcome } from "../src/engine/command.ts";
import type { World } from "./world.ts";

export class Requests {
  readonly #world: World;
  /** Of the request that goes out next. */
  order = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** `done` books the answer (nothing when none came) and says in words what it was. */
  call<Kind extends CommandKind>(
    command: CommandOf<Kind>,
    what: string,
    done: (outcome: Outcome<Kind> | undefined) => string | undefined,
    signal?: AbortSignal,
  ): void {
    const order = this.order++;
    const world = this.#world;
    world.note(`#${order} ${command.kind} ${what}`);
    world.call<Kind>(
      command,
      (outcome) => {
        let said: string | undefined;
        try {
          said = done(outcome);
        } finally {
          world.note(`#${order} -> ${outcome === undefined ? "no answer" : said}`);
        }
      },
      signal,
    );
  }
}
