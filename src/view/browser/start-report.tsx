import { hydrate } from "preact";
import { parseJson } from "../../model/json.ts";
import type { Answers } from "../model/answers.ts";
import { Report } from "./report.tsx";

/** What the report's first script element holds. */
interface StoredAnswers extends Answers {
  readonly format: 1;
}

const place = document.getElementById("evalcube-page");
const stored = document.getElementById("evalcube-report");
const rows = document.getElementById("evalcube-rows");
const steps = document.getElementById("evalcube-steps");
if (place !== null && stored !== null)
  hydrate(
    <Report
      answers={parseJson(stored.textContent) as unknown as StoredAnswers}
      rows={rows?.textContent ?? ""}
      steps={steps?.textContent ?? ""}
    />,
    place,
  );
