// What a running server has to say, as lines on standard error.

import type { LogLevel, LogSink } from "../server/index.ts";
import type { Output, Style } from "./output.ts";

const LEVEL_STYLE: Record<LogLevel, Style> = { debug: "dim", info: "dim", warn: "yellow", error: "red" };

/** What is less than `least` is left out. */
export function logTo(output: Output, least: "debug" | "warn" = "debug"): LogSink {
  return (level, text, details = {}) => {
    if (least === "warn" && level !== "warn" && level !== "error") return;
    const atTime = new Date().toISOString();
    if (output.isJson) return output.note(JSON.stringify({ time: atTime, level, text, ...details }));
    const shown = Object.entries(details).map(
      ([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
    output.note(`${output.styleNote(LEVEL_STYLE[level], `${atTime} ${level.padEnd(5)}`)} ${text}${shown.join("")}`);
  };
}
