/** ISO 8601 in UTC with milliseconds: `2026-01-31T09:00:00.000Z`. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
