import type { VNode } from "preact";
import type { Answers } from "../answers.ts";
import { scoresOf } from "../model/scores.ts";
import { Name } from "./name.tsx";
import type { PageActions } from "./page-actions.ts";

interface BannerProps {
  readonly answers: Answers;
  readonly score: string | null;
  readonly actions: PageActions | undefined;
}

/** What the page is about, and what can be chosen. */
export function Banner({ answers, score, actions }: BannerProps): VNode {
  return (
    <header class="banner">
      <div>
        <h1>
          <Name text={answers.title ?? answers.project} />
        </h1>
      </div>
      <div class="controls">
        <label class="field">
          <span>Score</span>
          <select
            value={score ?? ""}
            disabled={actions === undefined}
            onChange={(event) => actions?.chooseScore(event.currentTarget.value)}
          >
            {scoresOf(answers.summary).map(({ name }) => (
              <option key={name} value={name} selected={name === score}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={actions === undefined} onClick={actions?.turnTheme}>
          Light or dark
        </button>
      </div>
    </header>
  );
}
