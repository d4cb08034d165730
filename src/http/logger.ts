import { destination, pino, stdTimeFunctions, type Level, type Logger } from "pino";

/** What may be asked for with `--log-level`. */
export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** JSON lines on standard error: standard output belongs to the command. */
export function createLogger(level: LogLevel): Logger<Level> {
  return pino(
    { level, base: null, timestamp: stdTimeFunctions.isoTime },
    destination({ dest: 2, sync: false }),
  );
}
