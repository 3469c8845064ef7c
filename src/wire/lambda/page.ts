// Pages of lists. A marker is the name that the last page ended with.

import type { Result } from "../../base/result.ts";
import { accept, refuse } from "../../base/result.ts";
import type { Refusal } from "../../engine/refusal.ts";
import { refuseRange } from "./check.ts";

const MAX_ITEMS = 10_000;

export interface Page {
  marker?: string;
  itemsMax: number;
}

export function pageOf(
  { Marker: marker, MaxItems: maxItems }: { Marker?: string; MaxItems?: number },
  itemsMax: number,
): Result<Page, Refusal> {
  const problem = refuseRange(maxItems, "maxItems", 1, MAX_ITEMS);
  if (problem !== undefined) return refuse(problem);
  const page = { itemsMax: Math.min(maxItems ?? itemsMax, itemsMax) };
  return accept(marker === undefined || marker === "" ? page : { ...page, marker });
}

/** For what is in one record: the page from behind the item that `marker` names. */
export function slice<Item>(items: readonly Item[], { marker, itemsMax }: Page, nameOf: (item: Item) => string) {
  const start = marker === undefined ? 0 : items.findIndex((item) => nameOf(item) === marker) + 1;
  const page = items.slice(start, start + itemsMax);
  const last = page.at(-1);
  const isMore = start + page.length < items.length;
  return { page, nextMarker: isMore && last !== undefined ? nameOf(last) : undefined };
}
