// What the catalog keeps of a subscription that was cancelled without a signature: its endpoint is told, and may restore
// it with the token that it is told (fanout.md A9).

import type { SubscriptionRecord } from "./subscription-record.ts";

export interface UnsubscribedRecord {
  /** As it was. */
  was: SubscriptionRecord;
  /** What ConfirmSubscription must bring to restore it, and until when. */
  token: string;
  tokenExpiresAtMs: number;
}
