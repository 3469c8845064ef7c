// What is kept of a handler's result for the duplicates that come later.

/** DynamoDB's items end at 400 KB; what is replayed to a duplicate is rarely worth more than a page. */
export const RESULT_BYTES_MAX = 256 * 1024;

/**
 * The result as JSON, or undefined when there is none or it cannot be kept. That does not fail the work, since its effects
 * have happened: a warning is raised, and duplicates get undefined.
 */
export function saveable(result: unknown, whose: string): string | undefined {
  let text: string | undefined;
  try {
    text = JSON.stringify(result);
  } catch (error) {
    return warn(`${whose}: the result has no JSON form (${(error as Error).message})`);
  }
  if (text === undefined) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes > RESULT_BYTES_MAX) return warn(`${whose}: the result has ${bytes} bytes, more than ${RESULT_BYTES_MAX}`);
  return text;
}

function warn(what: string): undefined {
  process.emitWarning(`${what}; it is not kept, and duplicates get undefined.`, "IdempotencyWarning");
}
