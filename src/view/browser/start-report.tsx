import { hydrate } from "preact";
import { useState } from "preact/hooks";
import type { VNode } from "preact";
import type { Answers } from "../answers.ts";
import { headlineOf } from "../model/scores.ts";
import { Page } from "../parts/page.tsx";
import { RowsNeedScripts } from "../parts/rows-need-scripts.tsx";
import { turnTheme } from "./theme.ts";

/** What the report's first script element holds. */
interface StoredAnswers extends Answers {
  readonly format: 1;
}

function Report({ answers }: { readonly answers: Answers }): VNode {
  const [score, chooseScore] = useState(headlineOf(answers.summary, answers.scorers)?.name ?? null);
  return (
    <Page answers={answers} score={score} actions={{ chooseScore, turnTheme }} rows={<RowsNeedScripts />} />
  );
}

const place = document.getElementById("evalcube-page");
const stored = document.getElementById("evalcube-report");
if (place !== null && stored !== null)
  hydrate(<Report answers={JSON.parse(stored.textContent) as StoredAnswers} />, place);
