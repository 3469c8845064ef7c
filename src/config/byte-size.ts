// Sizes as people write them: "64MiB", "512 KiB", "1GiB", or plain bytes. Binary units only: a segment of "64 MB"
// that is 4 % smaller than the reader thought helps nobody, so MB is refused rather than guessed.

const UNIT_BYTES: Record<string, number> = { "": 1, kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3 };

export function parseByteSize(text: string): number | undefined {
  const match = /^(\d+)\s*(kib|mib|gib|)$/i.exec(text.trim());
  if (match === null) return undefined;
  const bytes = Number(match[1]) * (UNIT_BYTES[(match[2] as string).toLowerCase()] as number);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** In the largest unit that divides it exactly, so that the text parses back to the same number. */
export function formatByteSize(bytes: number): string {
  for (const unit of ["GiB", "MiB", "KiB"]) {
    const unitBytes = UNIT_BYTES[unit.toLowerCase()] as number;
    if (bytes >= unitBytes && bytes % unitBytes === 0) return `${bytes / unitBytes} ${unit}`;
  }
  return `${bytes}`;
}
