import { destination, pino, stdTimeFunctions, type Logger } from "pino";
import type { LogLevel } from "./log-levels.ts";

/** Logs JSON lines to standard error, since standard output is for the command's results. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: stdTimeFunctions.isoTime },
    destination({ dest: 2, sync: false }),
  );
}
