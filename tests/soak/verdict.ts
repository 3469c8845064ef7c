// Is what the server takes bounded? Two questions for each series: does it stay below a limit, and is its last third no
// higher than the third before it, but for ups and downs? A short run ends before the log was first cleaned, so it is
// not asked the second one.

export interface Bound {
  name: string;
  unit: string;
  limit: number;
  /** How much higher the last third may be: what one snapshot or one more segment makes. */
  slack: number;
}

export interface Judged extends Bound {
  middleMax: number;
  lastMax: number;
  max: number;
  isBounded: boolean;
}

export function judge(bound: Bound, values: readonly number[], isLongEnough: boolean): Judged {
  const third = Math.floor(values.length / 3);
  const middleMax = Math.max(0, ...values.slice(third, 2 * third));
  const lastMax = Math.max(0, ...values.slice(2 * third));
  const max = Math.max(0, ...values);
  const isBounded = max <= bound.limit && (!isLongEnough || lastMax <= middleMax * 1.15 + bound.slack);
  return { ...bound, middleMax, lastMax, max, isBounded };
}
