// A chart of messages per second as SVG, written by hand: a block for each scenario, a bar for each server, lengths
// within a block to one scale. Each server's figure comes from its own run, so bars of servers that were measured in
// different runs are drawn as shares of the Millpond of that run.

import { SCENARIOS } from "../scenarios/all.ts";
import type { Row } from "../scenarios/scenario.ts";
import type { RunFile } from "./run-file.ts";

interface Bar {
  label: string;
  value: number;
  note: string;
  isOurs: boolean;
}

interface Block {
  title: string;
  bars: Bar[];
}

const WIDTH = 820;
const LABEL_WIDTH = 150;
const NOTE_WIDTH = 190;
const BAR_HEIGHT = 16;
const BAR_GAP = 4;
const TITLE_HEIGHT = 30;
const MARGIN = 16;
const CHARTED = ["send", "send-16k", "batch", "receive-1", "receive-10"];
const FONT = "font-family='system-ui, sans-serif'";

export function drawChart(files: readonly RunFile[]): string {
  const blocks = CHARTED.flatMap((scenario) => blockOf(files, scenario) ?? []);
  let y = MARGIN;
  const parts: string[] = [];
  for (const { title, bars } of blocks) {
    parts.push(text(MARGIN, y + 14, title, "font-weight='bold' font-size='14'"));
    y += TITLE_HEIGHT;
    const most = Math.max(...bars.map(({ value }) => value));
    for (const bar of bars) {
      const width = ((WIDTH - LABEL_WIDTH - NOTE_WIDTH - 2 * MARGIN) * bar.value) / most;
      const x = MARGIN + LABEL_WIDTH;
      parts.push(text(x - 8, y + 12, bar.label, "font-size='12' text-anchor='end'"));
      parts.push(
        `<rect x='${x}' y='${y}' width='${Math.max(1, width).toFixed(1)}' height='${BAR_HEIGHT}' fill='${bar.isOurs ? "#2b7a9b" : "#b9c4cb"}'/>`,
      );
      parts.push(text(x + width + 6, y + 12, bar.note, "font-size='12'"));
      y += BAR_HEIGHT + BAR_GAP;
    }
    y += MARGIN;
  }
  parts.push(
    text(
      MARGIN,
      y,
      "Bars: share of the rate that Millpond had in the same run. Figures: rates seen.",
      "font-size='12'",
    ),
  );
  y += MARGIN;
  return [
    `<svg xmlns='http://www.w3.org/2000/svg' width='${WIDTH}' height='${y}' viewBox='0 0 ${WIDTH} ${y}' role='img'>`,
    "<title>Messages per second by server</title>",
    `<rect width='${WIDTH}' height='${y}' fill='#ffffff'/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

/** The scenario at the connection count nearest to 64 that was measured; `undefined` when it was not. */
function blockOf(files: readonly RunFile[], scenario: string): Block[] | undefined {
  const rows = files.flatMap((file) =>
    file.rows.filter((row) => row.scenario === scenario && row.messagesPerSecond !== undefined),
  );
  const counts = [...new Set(rows.map(({ connections = 0 }) => connections))];
  const connections = counts.sort((a, b) => Math.abs(a - 64) - Math.abs(b - 64))[0];
  if (connections === undefined) return undefined;
  const bars = new Map<string, Bar>();
  for (const row of rows.filter((each) => each.connections === connections)) {
    // A peer whose Millpond failed has nothing to be a share of.
    const isPlaced = row.subject === "millpond" || row.firstIsTimes !== undefined;
    if (isPlaced && !bars.has(row.subject)) bars.set(row.subject, barOf(row, rows, connections));
  }
  const title = SCENARIOS.find(({ name }) => name === scenario)?.title ?? scenario;
  return [{ title: `${title}, ${connections} connections`, bars: [...bars.values()] }];
}

function barOf(row: Row, rows: readonly Row[], connections: number): Bar {
  const rate = row.messagesPerSecond as number;
  const ours = rows.find((each) => each.subject === "millpond" && each.connections === connections)?.messagesPerSecond;
  const isShare = row.firstIsTimes !== undefined && ours !== undefined;
  const note = `${Math.round(rate).toLocaleString("en")}/s`;
  return {
    label: row.subject,
    value: isShare ? ours / (row.firstIsTimes as number) : rate,
    note: isShare ? `${note} (Millpond ${(row.firstIsTimes as number).toFixed(1)}×)` : note,
    isOurs: row.subject.startsWith("millpond"),
  };
}

function text(x: number, y: number, content: string, attributes: string): string {
  const escaped = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<text x='${x.toFixed(1)}' y='${y}' ${FONT} ${attributes} fill='#222222'>${escaped}</text>`;
}
