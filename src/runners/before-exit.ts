type Work = () => Promise<void>;

const waiting = new Set<Work>();
/** So long the process waits at most: what is run gives up a busy or slow database by itself, and sooner. */
const MOST_MS = 60_000;

// oxlint-disable-next-line typescript/unbound-method -- it needs no `this`
let { exit } = process;

/**
 * Runs work before the process ends by itself or by `process.exit`, which then ends it a moment later; not where it is
 * killed. Returns the function that takes this back.
 */
export function beforeExit(work: Work): () => void {
  if (waiting.size === 0) {
    // oxlint-disable-next-line typescript/unbound-method -- it needs no `this`
    ({ exit } = process);
    process.exit = exitLater as typeof process.exit;
    process.once("beforeExit", runAll);
  }
  waiting.add(work);
  return () => {
    waiting.delete(work);
    if (waiting.size > 0) return;
    if (process.exit === exitLater) process.exit = exit;
    process.off("beforeExit", runAll);
  };
}

function exitLater(code?: number | string | null): void {
  // A second call does not wait.
  process.exit = exit;
  if (code != null) process.exitCode = code;
  setTimeout(exit, MOST_MS, code);
  void runAll().then(() => exit(code));
}

async function runAll(): Promise<void> {
  await Promise.allSettled(Array.from(waiting, (work) => work()));
}

const lastly = new Set<() => void>();

/**
 * Runs work that does not wait when the process exits, however that comes but by a kill. Returns the function that
 * takes this back. The process has one listener for all of it.
 */
export function atExit(work: () => void): () => void {
  if (lastly.size === 0) process.on("exit", runLastly);
  lastly.add(work);
  return () => {
    lastly.delete(work);
    if (lastly.size === 0) process.off("exit", runLastly);
  };
}

function runLastly(): void {
  for (const work of lastly) work();
}
