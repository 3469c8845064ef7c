// Durations as people write them: "31s", "5m", "1h30m", "4d", "250ms"; a plain number is seconds, as in AWS's own
// parameters. Milliseconds inside.

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** What `parseDurationMs` accepts, for messages. */
export const DURATION_ALLOWED = 'a duration such as "30s", "5m", "1h30m" or "4d" (a plain number is seconds)';

/** Undefined when the text is not a duration. Fractions are fine ("1.5h"); the answer is whole milliseconds. */
export function parseDurationMs(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * 1000);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(trimmed)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    totalMs += Number(amount) * (UNIT_MS[unit as string] as number);
  }
  return Math.round(totalMs);
}

/** The two largest units that say something: "1h30m", "4d", "31s", "250ms", "0s". */
export function formatDuration(durationMs: number): string {
  if (durationMs > 0 && durationMs < 1000) return `${Math.round(durationMs)}ms`;
  let restMs = Math.floor(durationMs / 1000) * 1000;
  const parts: string[] = [];
  for (const unit of ["d", "h", "m", "s"]) {
    const unitMs = UNIT_MS[unit] as number;
    const count = Math.floor(restMs / unitMs);
    restMs -= count * unitMs;
    if (count > 0) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? "0s" : parts.join("");
}
