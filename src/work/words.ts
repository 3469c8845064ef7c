// Numbers as an operator reads them.

export function rate(perSecond: number): string {
  return `${rounded(perSecond)}/s`;
}

export function span(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${rounded(ms / 1000)} s`;
}

export function counted(count: number, noun: string): string {
  return `${rounded(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function rounded(value: number): string {
  const size = Math.abs(value);
  return String(Number(value.toFixed(size >= 10 ? 0 : size >= 1 ? 1 : 2)));
}
