import { hydrate } from "preact";
import { useEffect, useState } from "preact/hooks";
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
  // First what the static page has: a script takes over the elements, but does not change their attributes.
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  const actions = ready ? { chooseScore, turnTheme } : undefined;
  return <Page answers={answers} score={score} actions={actions} rows={<RowsNeedScripts />} />;
}

const place = document.getElementById("evalcube-page");
const stored = document.getElementById("evalcube-report");
if (place !== null && stored !== null)
  hydrate(<Report answers={JSON.parse(stored.textContent) as StoredAnswers} />, place);
