// A store whose calls fail while its line is cut: for the one store that has no connection to break.

import type { Begun, BegunNewer, Claim, IdempotencyStore, VersionStore } from "../../../src/consumer/index.ts";

type BothKinds<Tx> = IdempotencyStore<Tx> & VersionStore<Tx>;

export function cuttable<Tx>(store: BothKinds<Tx>, line: { isCut: boolean }): BothKinds<Tx> {
  const reach = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    if (line.isCut) throw new Error("out of reach");
    return call();
  };
  const claimOf = (claim: Claim<Tx>): Claim<Tx> => ({
    fence: claim.fence,
    isLeased: claim.isLeased,
    tx: claim.tx,
    renew: (leaseMs) => reach(() => claim.renew(leaseMs)),
    complete: (result, keepForMs) => reach(() => claim.complete(result, keepForMs)),
    release: () => reach(() => claim.release()),
  });
  return {
    async begin(id, request): Promise<Begun<Tx>> {
      const begun = await reach(() => store.begin(id, request));
      return begun.is === "mine" ? { is: "mine", claim: claimOf(begun.claim) } : begun;
    },
    async beginNewer(id, request): Promise<BegunNewer<Tx>> {
      const begun = await reach(() => store.beginNewer(id, request));
      return begun.is === "mine" ? { is: "mine", claim: claimOf(begun.claim) } : begun;
    },
    sweep: (limit) => reach(async () => (await store.sweep?.(limit)) ?? 0),
  };
}
