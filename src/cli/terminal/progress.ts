import { SingleBar } from "cli-progress";
import type { Screen, Terminal } from "./terminal.ts";

/** The progress of a load, or of what is counted otherwise: then `bytes` are the same as `records`. */
interface Progress {
  readonly records: number;
  readonly bytes: number;
  /** null where the size of the source is unknown. */
  readonly totalBytes: number | null;
}

interface ProgressDisplay {
  readonly update: (progress: Progress) => void;
  readonly stop: () => void;
}

type Unit = "records" | "trials";

const SILENT: ProgressDisplay = { update: () => {}, stop: () => {} };

/** Loads that end sooner show no progress bar. */
const PATIENCE_MS = 1000;

/** Shows progress as {@link showProgress} does, unless the user wants none. */
export function progressOf({ stderr, isQuiet }: Terminal, name: string, unit?: Unit): ProgressDisplay {
  return isQuiet() ? SILENT : showProgress(stderr, name, PATIENCE_MS, unit);
}

/**
 * Shows a progress bar on a terminal for loads that take longer than `patience` milliseconds; nothing elsewhere.
 */
export function showProgress(
  screen: Screen,
  name: string,
  patience = PATIENCE_MS,
  unit: Unit = "records",
): ProgressDisplay {
  if (screen.isTTY !== true) return SILENT;
  const startedAt = performance.now();
  let bar: SingleBar | undefined;
  return {
    update: ({ records, bytes, totalBytes }) => {
      const count = `${records.toLocaleString("en-US")} ${unit}`;
      const payload = {
        name,
        count: totalBytes === null && unit === "records" ? `${count}, ${megabytes(bytes)}` : count,
      };
      if (bar !== undefined) bar.update(bytes, payload);
      else if (performance.now() - startedAt >= patience) bar = startBar(screen, bytes, totalBytes, payload);
    },
    stop: () => bar?.stop(),
  };
}

function startBar(screen: Screen, bytes: number, totalBytes: number | null, payload: object): SingleBar {
  const format = totalBytes === null ? "{name}  {count}" : "{name} {bar} {percentage} %  {count}";
  const bar = new SingleBar({
    format,
    stream: screen,
    barsize: 30,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    clearOnComplete: true,
    stopOnComplete: false,
    gracefulExit: false,
  });
  bar.start(totalBytes ?? 0, bytes, payload);
  return bar;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
