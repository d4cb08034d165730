/** Answers given since the last write, for whoever asks the same again. */
export interface AnswerCache {
  readonly find: (key: string, epoch: number) => string | undefined;
  readonly keep: (key: string, epoch: number, answer: string) => void;
}

/** Longer answers are not kept (characters). */
export const LONGEST_KEPT_ANSWER = 256 * 1024;
/** Of all answers and their keys (characters). */
const CAPACITY = 8 * 1024 * 1024;

/** A write forgets all; where room is short, what was asked longest ago goes first. */
export function createAnswerCache(): AnswerCache {
  const answers = new Map<string, string>();
  let kept = -1;
  let size = 0;
  const forget = (key: string) => {
    size -= key.length + (answers.get(key)?.length ?? -key.length);
    answers.delete(key);
  };
  const enter = (epoch: number) => {
    if (epoch === kept) return;
    answers.clear();
    size = 0;
    kept = epoch;
  };
  return {
    find: (key, epoch) => {
      enter(epoch);
      const answer = answers.get(key);
      if (answer === undefined) return undefined;
      answers.delete(key);
      answers.set(key, answer);
      return answer;
    },
    keep: (key, epoch, answer) => {
      if (epoch !== kept || answer.length > LONGEST_KEPT_ANSWER) return;
      forget(key);
      answers.set(key, answer);
      size += key.length + answer.length;
      for (const oldest of answers.keys()) {
        if (size <= CAPACITY) break;
        forget(oldest);
      }
    },
  };
}

/** Tells requests apart as JSON texts do, and 0 from -0. */
export function answerKey(projectId: string, request: object): string {
  return JSON.stringify([projectId, request], (_name, value: unknown) =>
    Object.is(value, -0) ? { negative: 0 } : value,
  );
}
