// Medians and quantiles.

/** Of values sorted upwards; 0 when there are none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** The middle one, or the mean of the two in the middle; `undefined` when there is none. */
export function median(values: readonly (number | undefined)[]): number | undefined {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  return sorted.length % 2 === 1 || upper === undefined ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
