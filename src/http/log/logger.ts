import { destination, pino, stdTimeFunctions, type Logger } from "pino";
import type { LogLevel } from "./log-levels.ts";

/** JSON lines on standard error: standard output belongs to the command. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    { level, base: null, timestamp: stdTimeFunctions.isoTime },
    destination({ dest: 2, sync: false }),
  );
}
