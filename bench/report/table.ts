// Rows as a table, for a terminal or for Markdown. Only columns that some row fills are shown.

import type { Row } from "../scenarios/scenario.ts";

interface Column {
  title: string;
  of(row: Row): string | undefined;
}

const COLUMNS: readonly Column[] = [
  { title: "at", of: ({ at }) => at },
  { title: "connections", of: ({ connections }) => connections?.toLocaleString("en") },
  { title: "server", of: ({ subject }) => subject },
  { title: "messages/s", of: ({ messagesPerSecond }) => rounded(messagesPerSecond, 0) },
  { title: "p50 ms", of: ({ p50Ms }) => rounded(p50Ms, 2) },
  { title: "p99 ms", of: ({ p99Ms }) => rounded(p99Ms, 2) },
  { title: "server µs/message", of: ({ serverMicrosPerMessage }) => rounded(serverMicrosPerMessage, 1) },
  { title: "× floor", of: ({ timesFloor }) => rounded(timesFloor, 1) },
  { title: "Millpond is × as fast", of: ({ firstIsTimes }) => rounded(firstIsTimes, 2) },
  { title: "CPU, × Millpond's", of: ({ timesFirstCpu }) => rounded(timesFirstCpu, 2) },
  { title: "× shallow", of: ({ timesShallow }) => rounded(timesShallow, 2) },
  { title: "start ms", of: ({ startMs }) => rounded(startMs, 0) },
  { title: "% of a core", of: ({ serverPercentOfCore }) => rounded(serverPercentOfCore, 1) },
  { title: "resident MB", of: ({ residentMb }) => rounded(residentMb, 0) },
  { title: "resident B/message", of: ({ residentBytesPerMessage }) => rounded(residentBytesPerMessage, 0) },
  { title: "load, cores", of: ({ loadCores }) => rounded(loadCores, 2) },
  { title: "others, cores", of: ({ othersCores }) => rounded(othersCores, 2) },
  { title: "wrong", of: ({ error }) => error?.slice(0, 200).replace(/\s+/g, " ") },
];

export function textTable(rows: readonly Row[]): string {
  const cells = cellsOf(rows);
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => (row[column] as string).length)));
  return cells.map((row) => row.map((text, column) => text.padStart(widths[column] as number)).join("  ")).join("\n");
}

export function markdownTable(rows: readonly Row[]): string {
  const [header = [], ...body] = cellsOf(rows).map((row) => row.map((text) => text.replaceAll("|", "\\|")));
  const line = (row: string[]) => `| ${row.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...body.map(line)].join("\n");
}

function cellsOf(rows: readonly Row[]): string[][] {
  const columns = COLUMNS.filter(({ of }) => rows.some((row) => of(row) !== undefined));
  return [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ of }) => of(row) ?? "-"))];
}

function rounded(value: number | undefined | null, digits: number): string | undefined {
  return value === undefined || value === null || Number.isNaN(value)
    ? undefined
    : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
