import type { ScoredTrial, Scorer } from "./scorer.ts";
import { addFailedScore, addScore, type Draft, type ScoreTimes } from "./draft.ts";
import { limited, retried, type Loop } from "./limited.ts";

/** What a scorer said, or its error. */
type JudgedScore = { readonly scorer: string; readonly times: ScoreTimes } & (
  | { readonly value: unknown }
  | { readonly error: unknown }
);

/** What each scorer says, in the order of the scorers, whichever ends first. */
export async function judge<Row, Output>(
  { options, stopping, run }: Loop<Row, Output>,
  scorers: readonly (readonly [string, Scorer<Row, Output>])[],
  trial: Omit<ScoredTrial<Row, Output>, "signal">,
): Promise<JudgedScore[]> {
  const { retries = 0, timeoutMs } = options;
  const judgeBy = async ([scorer, one]: (typeof scorers)[number]): Promise<JudgedScore> => {
    const score = typeof one === "function" ? one : one.score.bind(one);
    const startedAt = run.clock.tick();
    const times = () => ({ startedAt, endedAt: run.clock.tick() });
    const what = `the scorer ${JSON.stringify(scorer)}`;
    try {
      const value = await retried(stopping, retries, () =>
        limited(stopping, what, timeoutMs, (signal) => score({ ...trial, signal })),
      );
      return { scorer, value, times: times() };
    } catch (error) {
      return { scorer, error, times: times() };
    }
  };
  return await Promise.all(scorers.map(judgeBy));
}

/** A value that cannot be stored is an error of its scorer. */
export function log(draft: Draft, result: JudgedScore): void {
  const { scorer, times } = result;
  if ("error" in result) return addFailedScore(draft, scorer, result.error, times);
  if (result.value === undefined) return;
  try {
    addScore(draft, scorer, result.value, undefined, times);
  } catch (error) {
    addFailedScore(draft, scorer, error, times);
  }
}
