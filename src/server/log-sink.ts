// Where the server says what an operator should see. The host and the router call the sink; the level setting
// filters once, here.

export type LogLevel = "debug" | "info" | "warn" | "error";

export type LogSink = (level: LogLevel, text: string, details?: Record<string, unknown>) => void;

const RANK: Record<LogLevel, number> = { error: 0, warn: 1, info: 2, debug: 3 };

export function filterLog(sink: LogSink, levelMax: LogLevel): LogSink {
  return (level, text, details) => {
    if (RANK[level] <= RANK[levelMax]) sink(level, text, details);
  };
}

export const silentLog: LogSink = () => {};
