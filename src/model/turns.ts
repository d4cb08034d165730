/** Divides the time of the event loop among what is done at once, and leaves some to whatever else waits for it. */
export interface Turns {
  /** Resolves at once while what took this turn has not lasted long, else in a turn of its own. Asked before each short piece of work. */
  readonly take: () => Promise<void>;
}

const TURN_MILLISECONDS = 2;
const AT_ONCE = Promise.resolve();

export function createTurns(clock: () => number = () => performance.now()): Turns {
  const waiting: (() => void)[] = [];
  let began: number | null = null;
  const begin = () => {
    began = clock();
    setImmediate(end);
  };
  const end = () => {
    began = null;
    const next = waiting.shift();
    if (next === undefined) return;
    begin();
    next();
  };
  return {
    take: () => {
      if (began === null) begin();
      else if (clock() - began > TURN_MILLISECONDS) return new Promise((resume) => waiting.push(resume));
      return AT_ONCE;
    },
  };
}
