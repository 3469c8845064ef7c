// A plot by hand: panels one below the other over one axis of time, a line for each series, and a mark for each restart.

export interface Series {
  label: string;
  color: string;
  /** One for each moment; undefined leaves a gap. */
  values: readonly (number | undefined)[];
}

export interface Panel {
  title: string;
  unit: string;
  scale: "linear" | "logarithmic";
  series: readonly Series[];
}

export interface Mark {
  atSeconds: number;
  color: string;
}

const WIDTH = 960;
const PANEL_HEIGHT = 170;
const GAP = 46;
const LEFT = 64;
const RIGHT = 16;
const TOP = 30;
const LINES = 4;

export function plot(seconds: readonly number[], panels: readonly Panel[], marks: readonly Mark[]): string {
  const height = TOP + panels.length * (PANEL_HEIGHT + GAP);
  const endSeconds = Math.max(1, seconds.at(-1) ?? 1);
  const x = (at: number) => LEFT + (at / endSeconds) * (WIDTH - LEFT - RIGHT);
  const drawn = panels.map((panel, index) =>
    drawPanel(panel, TOP + index * (PANEL_HEIGHT + GAP), seconds, marks, x, endSeconds),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    ...drawn,
    "</svg>\n",
  ].join("\n");
}

function drawPanel(
  { title, unit, scale, series }: Panel,
  top: number,
  seconds: readonly number[],
  marks: readonly Mark[],
  x: (at: number) => number,
  endSeconds: number,
): string {
  const values = series.flatMap((each) => each.values.filter((value) => value !== undefined));
  const { min, max } = rangeOf(values, scale);
  const position = scale === "linear" ? (value: number) => value : (value: number) => Math.log10(Math.max(value, min));
  const span = position(max) - position(min) || 1;
  const y = (value: number) => top + PANEL_HEIGHT - ((position(value) - position(min)) / span) * PANEL_HEIGHT;
  const bottom = top + PANEL_HEIGHT;
  const parts = [`<text x="${LEFT}" y="${top - 10}" font-weight="bold" fill="#222222">${title} (${unit})</text>`];
  for (const { atSeconds, color } of marks) {
    parts.push(line(x(atSeconds), top, x(atSeconds), bottom, color, 'stroke-dasharray="3 3"'));
  }
  for (const tick of ticksOf(min, max, scale)) {
    parts.push(line(LEFT, y(tick), WIDTH - RIGHT, y(tick), "#dddddd"));
    parts.push(
      `<text x="${LEFT - 8}" y="${round(y(tick) + 4)}" text-anchor="end" fill="#555555">${numberText(tick)}</text>`,
    );
  }
  for (let step = 0; step <= 5; step++) {
    const at = (endSeconds * step) / 5;
    parts.push(
      `<text x="${round(x(at))}" y="${bottom + 16}" text-anchor="middle" fill="#555555">${timeText(at)}</text>`,
    );
  }
  parts.push(
    `<rect x="${LEFT}" y="${top}" width="${WIDTH - LEFT - RIGHT}" height="${PANEL_HEIGHT}" fill="none" stroke="#888888"/>`,
  );
  for (const [index, { label, color, values: points }] of series.entries()) {
    parts.push(`<path d="${pathOf(points, seconds, x, y)}" fill="none" stroke="${color}" stroke-width="1.5"/>`);
    const legendX = WIDTH - RIGHT - (series.length - index) * 110;
    parts.push(line(legendX, top - 14, legendX + 18, top - 14, color, 'stroke-width="2"'));
    parts.push(`<text x="${legendX + 24}" y="${top - 10}" fill="#222222">${label}</text>`);
  }
  return parts.join("\n");
}

function pathOf(
  points: Series["values"],
  seconds: readonly number[],
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  let isDown = false;
  return points
    .map((value, index) => {
      if (value === undefined) {
        isDown = false;
        return "";
      }
      const command = isDown ? "L" : "M";
      isDown = true;
      return `${command}${round(x(seconds[index] as number))} ${round(y(value))}`;
    })
    .join("");
}

function rangeOf(values: readonly number[], scale: Panel["scale"]): { min: number; max: number } {
  const max = Math.max(...values, 0) || 1;
  if (scale === "linear") return { min: 0, max: max * 1.1 };
  // Whole powers of ten, which the lines across are drawn at.
  const smallest = Math.min(...values.filter((value) => value > 0), max);
  return { min: 10 ** Math.floor(Math.log10(smallest)), max: 10 ** Math.ceil(Math.log10(max * 1.01)) };
}

function ticksOf(min: number, max: number, scale: Panel["scale"]): number[] {
  const ticks: number[] = [];
  if (scale === "logarithmic") for (let tick = min; tick <= max * 1.001; tick *= 10) ticks.push(tick);
  else for (let tick = 0; tick <= max; tick += roundStep(max / LINES)) ticks.push(tick);
  return ticks;
}

/** The next smaller 1, 2 or 5 times a power of ten. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return ([5, 2].find((times) => times * power <= step) ?? 1) * power;
}

function line(x1: number, y1: number, x2: number, y2: number, color: string, more = ""): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${color}" ${more}/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function numberText(value: number): string {
  return value >= 10 || value === 0 ? String(Math.round(value)) : String(Number(value.toPrecision(2)));
}

function timeText(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
