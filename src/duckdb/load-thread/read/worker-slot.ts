import { Worker } from "node:worker_threads";

/** What a worker is, and who hears of it. */
interface WorkerUse<Message> {
  readonly name: string;
  /** The text of its program, and what that is given. */
  readonly program: () => string;
  readonly data: (program: string) => object;
  /** Where memory is small, young objects have less of it. */
  readonly isSmall?: boolean;
  readonly message: (message: Message) => void;
  /** The worker has ended, and with it what it was doing. */
  readonly ended: (reason: Error) => void;
  /** The worker ends when this aborts and nobody holds it. */
  readonly closing?: AbortSignal | undefined;
}

/** A worker, or none. The process may end while nobody holds it. */
interface WorkerSlot {
  readonly isThere: () => boolean;
  readonly isHeld: () => boolean;
  /** The worker, started where there is none; throws where none can be. */
  readonly started: () => Worker;
  /** Returns the function that lets go of it. */
  readonly hold: () => () => void;
}

/** How long a worker waits for more to do. Its code is warm, but its heap takes tens of MB. */
const IDLE_MS = 2000;

/** A batch fits in, so that its records are not copied again and again before they are garbage. */
const YOUNG_MB = 48;
const FEW_YOUNG_MB = 24;

export function createWorkerSlot<Message>(use: WorkerUse<Message>): WorkerSlot {
  const { closing } = use;
  const holders = new Set<object>();
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  const ended = (one: Worker, reason: Error) => {
    if (worker !== one) return;
    worker = null;
    use.ended(reason);
  };
  /** The next caller gets another worker. */
  const end = () => {
    void worker?.terminate();
    worker = null;
  };
  const rest = () => {
    worker?.unref();
    if (closing?.aborted === true) end();
    else idle = setTimeout(end, IDLE_MS).unref();
  };
  closing?.addEventListener("abort", () => void (holders.size > 0 || end()), { once: true });
  return {
    isThere: () => worker !== null,
    isHeld: () => holders.size > 0,
    started: () => (worker ??= startWorker(use, ended)),
    hold: () => {
      const holder = {};
      holders.add(holder);
      clearTimeout(idle);
      worker?.ref();
      return () => {
        if (holders.delete(holder) && holders.size === 0) rest();
      };
    },
  };
}

function startWorker<Message>(
  { name, program, data, isSmall, message }: WorkerUse<Message>,
  ended: (one: Worker, reason: Error) => void,
): Worker {
  const text = program();
  const worker = new Worker(text, {
    eval: true,
    name,
    execArgv: [],
    workerData: data(text),
    resourceLimits: { maxYoungGenerationSizeMb: isSmall === true ? FEW_YOUNG_MB : YOUNG_MB },
  });
  worker.on("message", message);
  worker.on("error", (error) => ended(worker, error));
  worker.on("exit", (status) => ended(worker, new Error(`it ended with status ${status}`)));
  return worker;
}
