type Work = () => Promise<void>;

const waiting = new Set<Work>();
/** So long the process waits. */
const MOST_MS = 2000;

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
  // Who asks twice does not wait.
  process.exit = exit;
  if (code != null) process.exitCode = code;
  setTimeout(exit, MOST_MS, code);
  void runAll().then(() => exit(code));
}

async function runAll(): Promise<void> {
  await Promise.allSettled(Array.from(waiting, (work) => work()));
}
