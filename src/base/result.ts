// A value or a refusal, returned and never thrown. Refusals are answers (architecture.md §7), so every
// caller has to look at which of the two it holds.

export type Result<Value, Problem> = { ok: true; value: Value } | { ok: false; refusal: Problem };

export function accept<Value>(value: Value): { ok: true; value: Value } {
  return { ok: true, value };
}

export function refuse<Problem>(refusal: Problem): { ok: false; refusal: Problem } {
  return { ok: false, refusal };
}
