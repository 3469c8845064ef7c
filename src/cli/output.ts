// Everything a command prints goes through here: aligned tables for people, one JSON document or JSON lines with
// --json, colour only on a terminal that wants it. Results go to standard output, everything about them to standard
// error, so that pipes carry results only.

import { styleText } from "node:util";

export interface Sink {
  write(text: string): void;
  /** Characters per line; undefined when it is not a terminal. */
  columns: number | undefined;
  isColour: boolean;
}

export type Style = "bold" | "dim" | "red" | "yellow" | "green" | "cyan";

export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  align?: "right";
  /** Shortened to what is left of the line; at most one column of a table. */
  isElastic?: boolean;
}

/** Whether there is colour was settled per sink; node would look at the process instead. */
const DECIDED = { validateStream: false };
const WIDTH_WHEN_PIPED = Number.POSITIVE_INFINITY;
const ELASTIC_WIDTH_MIN = 12;
const GAP = "  ";

export class Output {
  readonly isJson: boolean;
  readonly #out: Sink;
  readonly #err: Sink;
  #live: readonly string[] = [];

  constructor(isJson: boolean, out: Sink, err: Sink) {
    this.isJson = isJson;
    this.#out = out;
    this.#err = err;
  }

  /** A line of the result. */
  line(text = ""): void {
    this.#print(this.#out, text);
  }

  /** A line about the result: progress, hints, warnings. */
  note(text: string): void {
    this.#print(this.#err, text);
  }

  json(value: unknown): void {
    this.#print(this.#out, JSON.stringify(value));
  }

  /** Whether results go to a terminal, where lines can be drawn anew. */
  get isLive(): boolean {
    return this.#out.columns !== undefined;
  }

  /** Lines that stay below everything that is printed, instead of those before. For terminals. */
  live(lines: readonly string[]): void {
    if (lines.length === this.#live.length && lines.every((line, index) => line === this.#live[index])) return;
    this.#erase();
    this.#live = lines;
    this.#draw();
  }

  #print(sink: Sink, text: string): void {
    this.#erase();
    sink.write(`${text}\n`);
    this.#draw();
  }

  /** The cursor is below the live lines: up over them, and everything from there on is cleared. */
  #erase(): void {
    if (this.#live.length > 0) this.#out.write(`\u001b[${this.#live.length}A\u001b[J`);
  }

  #draw(): void {
    // A line that wraps would be two.
    const width = this.#out.columns ?? WIDTH_WHEN_PIPED;
    for (const line of this.#live) this.#out.write(`${oneLine(line).slice(0, width)}\n`);
  }

  /** For people `text`, with --json `value`. */
  result(value: unknown, text: string): void {
    if (this.isJson) this.json(value);
    else this.line(text);
  }

  style(style: Style, text: string): string {
    return this.#out.isColour ? styleText(style, text, DECIDED) : text;
  }

  styleNote(style: Style, text: string): string {
    return this.#err.isColour ? styleText(style, text, DECIDED) : text;
  }

  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    const widthMax = this.#out.columns ?? WIDTH_WHEN_PIPED;
    for (const [index, line] of tableLines(rows, columns, widthMax).entries()) {
      this.line(index === 0 ? this.style("dim", line) : line);
    }
  }
}

/** The title line first. Exported for its test. */
export function tableLines<Row>(rows: readonly Row[], columns: readonly Column<Row>[], widthMax: number): string[] {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.value(row))));
  const widths = columns.map((column, index) =>
    cells.reduce((widest, row) => Math.max(widest, (row[index] as string).length), column.title.length),
  );
  const elastic = columns.findIndex((column) => column.isElastic);
  if (elastic >= 0) {
    const others = widths.reduce((sum, width, index) => sum + (index === elastic ? 0 : width), 0);
    const room = Math.max(ELASTIC_WIDTH_MIN, widthMax - others - GAP.length * (columns.length - 1));
    widths[elastic] = Math.min(widths[elastic] as number, room);
  }
  const render = (row: readonly string[]) =>
    row
      .map((cell, index) => pad(cell, widths[index] as number, columns[index]?.align))
      .join(GAP)
      .trimEnd();
  return [render(columns.map((column) => column.title)), ...cells.map(render)];
}

function pad(cell: string, width: number, align: "right" | undefined): string {
  const shortened = cell.length > width ? `${cell.slice(0, width - 1)}…` : cell;
  return align === "right" ? shortened.padStart(width) : shortened.padEnd(width);
}

/** Bodies are anything; a table row stays a row, and a terminal is not given control codes. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}
