// The plain sockets that are open at a front, those below TLS too, also while they still negotiate it: node's servers
// know neither those nor the ones that were accepted elsewhere.

import type { Socket } from "node:net";

export class OpenSockets {
  readonly #sockets = new Set<Socket>();
  #onNone: (() => void) | undefined;

  watch(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      if (this.#sockets.size === 0) this.#onNone?.();
    });
  }

  /** Resolves once none is left; none may be added from then on. */
  async closed(): Promise<void> {
    if (this.#sockets.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onNone = resolve;
    });
  }

  destroyAll(except?: (socket: Socket) => boolean): void {
    for (const socket of this.#sockets) if (!except?.(socket)) socket.destroy();
  }
}
