// JSON as people write it by hand: with comments and trailing commas. Knows the line of every value, so that whoever
// reads the values can say where a wrong one is.

export interface ConfigText {
  value: unknown;
  /** Line, from 1, of the value at a path such as `queues.orders.delay` or `mappings[0]`. */
  lines: ReadonlyMap<string, number>;
}

/** What cannot be read, and where. */
export class ConfigSyntaxError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.name = "ConfigSyntaxError";
    this.line = line;
  }
}

export function parseConfigText(text: string): ConfigText {
  const parser = new Parser(text.replace(/^\uFEFF/, ""));
  const value = parser.whole();
  return { value, lines: parser.lines };
}

const LITERALS: Record<string, unknown> = { true: true, false: false, null: null };
/** Deeper than any configuration, and far less than the stack bears. */
const DEPTH_MAX = 100;

class Parser {
  readonly lines = new Map<string, number>();
  readonly #text: string;
  #at = 0;
  #line = 1;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): unknown {
    const value = this.#value("");
    this.#skip();
    if (this.#at < this.#text.length) this.#fail("the end of the file");
    return value;
  }

  #value(path: string): unknown {
    this.#skip();
    this.lines.set(path, this.#line);
    const next = this.#text[this.#at];
    if (next === "{") return this.#nested(() => this.#object(path));
    if (next === "[") return this.#nested(() => this.#array(path));
    if (next === '"') return this.#string();
    const [word = ""] = /^[-+.\w]+/.exec(this.#text.slice(this.#at, this.#at + 100)) ?? [];
    if (Object.hasOwn(LITERALS, word)) {
      this.#at += word.length;
      return LITERALS[word];
    }
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(word)) this.#fail("a value");
    this.#at += word.length;
    return Number(word);
  }

  #nested<Value>(read: () => Value): Value {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) this.#fail(`at most ${DEPTH_MAX} levels`);
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(path: string): object {
    // Through entries, so that a key "__proto__" is a key like any other.
    const entries = new Map<string, unknown>();
    this.#at += 1;
    while (!this.#takes("}")) {
      if (this.#text[this.#at] !== '"') this.#fail('a key in double quotes, or "}"');
      const key = this.#string();
      if (entries.has(key)) throw new ConfigSyntaxError(this.#line, `the key "${key}" is there twice`);
      if (!this.#takes(":")) this.#fail(`":" after "${key}"`);
      entries.set(key, this.#value(path === "" ? key : `${path}.${key}`));
      if (!this.#takes(",") && this.#text[this.#at] !== "}") this.#fail('"," or "}"');
    }
    return Object.fromEntries(entries);
  }

  #array(path: string): unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    while (!this.#takes("]")) {
      items.push(this.#value(`${path}[${items.length}]`));
      if (!this.#takes(",") && this.#text[this.#at] !== "]") this.#fail('"," or "]"');
    }
    return items;
  }

  #string(): string {
    const [whole] = /^"(?:\\.|[^"\\\n])*"/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined) this.#fail("the end of the text: a double quote on the same line");
    try {
      const value = JSON.parse(whole) as string;
      this.#at += whole.length;
      return value;
    } catch {
      return this.#fail("a text with JSON's escapes");
    }
  }

  #takes(character: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  /** Over spaces and comments. */
  #skip(): void {
    const pattern = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
    pattern.lastIndex = this.#at;
    const [skipped = ""] = pattern.exec(this.#text) ?? [];
    this.#line += skipped.split("\n").length - 1;
    this.#at += skipped.length;
  }

  #fail(expected: string): never {
    const found = this.#at >= this.#text.length ? "the file ends" : `there is ${this.#found()}`;
    throw new ConfigSyntaxError(this.#line, `${expected} should be here, and ${found}`);
  }

  #found(): string {
    const [word = ""] = /^(?:\w+|.)/s.exec(this.#text.slice(this.#at, this.#at + 30)) ?? [];
    return JSON.stringify(word);
  }
}
