import { epochCache, type EpochCache } from "../../flow/epoch-cache.ts";

/** Answers given since the last write, kept for repeated requests. */
export type AnswerCache = EpochCache<string>;

/** Longest answer that is kept, in characters. */
export const LONGEST_KEPT_ANSWER = 512 * 1024;
/** Most characters kept in all answers and their keys together. */
export const CAPACITY = 8 * 1024 * 1024;

/** `longest`: the characters of the longest answer that is kept. */
export function createAnswerCache(longest = LONGEST_KEPT_ANSWER): AnswerCache {
  const answers = epochCache<string>(CAPACITY, (key, answer) => key.length + answer.length);
  return {
    find: answers.find,
    keep: (key, epoch, answer) => {
      if (answer.length <= longest) answers.keep(key, epoch, answer);
    },
  };
}

/**
 * Builds a key that distinguishes requests as their JSON texts do, and also 0 from -0. A parsed request has its members
 * in one order, so they need no sorting; safe-stable-stringify, which writes -0 as 0, takes 2.2 µs instead of 3.0.
 */
export function answerKey(projectId: string, request: object): string {
  return JSON.stringify([projectId, request], (_name, value: unknown) =>
    Object.is(value, -0) ? { negative: 0 } : value,
  );
}
