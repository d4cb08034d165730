import { gsmEvaluationId } from "../../demo/calls.ts";
import { tauBenchAirline } from "../../demo/tau-bench-airline.ts";
import { zeroEvalGsm, zeroEvalGsmRuns } from "../../demo/zeroeval-gsm.ts";
import type { Engine } from "../../index.ts";
import { evaluationLabels } from "../../model/labels.ts";
import { shellWord } from "../../model/messages.ts";
import { comparedSides, conclusionLines } from "../../words/comparison-words.ts";
import { countText, meanText, NOTHING } from "../../words/figures.ts";
import { leaderboardCells, leaderboardNotes } from "../tables/leaderboard-cells.ts";
import { titledSummary } from "../tables/result-tables.ts";
import { screenTable, type TableView } from "../tables/screen-table.ts";

const BOARD = { scorers: ["correct"] };
const [SMALLER, LARGER] = ["gpt-4o-mini-2024-07-18", "gpt-4o-2024-08-06"].map(gsmEvaluationId) as [
  string,
  string,
];
const PAIR = { scorers: ["correct"], baseline: LARGER, candidates: [SMALLER] as const };

/** Asks for what the demo tells of the published evaluations: a leaderboard, a comparison, and several trials a row. */
export async function askPublished(engine: Engine, signal: AbortSignal) {
  const { summary } = await engine.queryEvalResults(
    tauBenchAirline.project,
    {
      evaluation_call_ids: [tauBenchAirline.evaluation],
      include_rows: false,
      include_summary: true,
      pass_k: tauBenchAirline.publishedPassHat.map((_, i) => i + 1),
    },
    { signal },
  );
  return {
    leaderboard: await engine.leaderboard(zeroEvalGsm.project, BOARD, { signal }),
    comparison: await engine.compareEvaluations(zeroEvalGsm.project, PAIR, { signal }),
    trials: summary,
  };
}

/** A part of the demo's text: lines may be wrapped, tables may not. */
interface DemoPart {
  readonly title: string;
  readonly lines: readonly string[];
  readonly table?: string;
  readonly after?: readonly string[];
}

/** The product's own tables and sentences of the published evaluations, with the published figures beside them. */
export async function publishedParts(
  engine: Engine,
  database: string,
  view: TableView,
  signal: AbortSignal,
): Promise<readonly DemoPart[]> {
  const answers = await askPublished(engine, signal);
  const names = evaluationLabels(await engine.listEvaluations(zeroEvalGsm.project, { signal }));
  const ofAgent = evaluationLabels(await engine.listEvaluations(tauBenchAirline.project, { signal }));
  const where = `--db ${shellWord(database)} --project ${zeroEvalGsm.project}`;
  return [
    boardPart(answers, names, where, view),
    {
      title: "2  By how much, and on which rows?",
      lines: conclusionLines({
        answer: answers.comparison,
        request: PAIR,
        sides: comparedSides(answers.comparison),
        names,
      }),
      after: nextSteps(where),
    },
    trialsPart(answers, ofAgent, view),
    { title: "Figures", lines: [zeroEvalGsm.source, tauBenchAirline.source].map(citation) },
  ];
}

type Answers = Awaited<ReturnType<typeof askPublished>>;
type Names = ReadonlyMap<string, string>;

function boardPart({ leaderboard: answer }: Answers, names: Names, where: string, view: TableView): DemoPart {
  const shown = { answer, request: BOARD, names };
  const questions = countText(answer.entries[0]?.row_count ?? 0);
  return {
    title: "1  Which model is better?",
    lines: [
      `${zeroEvalGsm.source.title}: ${answer.entries.length} models, ${questions} school mathematics questions, one trial each.`,
      "Published is what the authors print.",
    ],
    table: boardTable(shown, view),
    after: [...leaderboardNotes(shown), "", `npx evalcube leaderboard ${where} --scorer correct`],
  };
}

function trialsPart({ trials }: Answers, names: Names, view: TableView): DemoPart {
  const { publishedPassHat, source } = tauBenchAirline;
  const published = publishedPassHat.map((figure) => meanText(figure, "binary"));
  const tasks = countText(trials.row_count);
  return {
    title: "3  Does it work every time?",
    lines: [
      `${source.title}: an agent books flights, ${tasks} tasks, ${tauBenchAirline.trials} trials each.`,
      "pass^k is the chance that k trials of a task all succeed.",
    ],
    table: titledSummary(trials, names, view),
    after: [`The authors print ${published.join(", ")} for pass^1 to pass^${published.length}.`],
  };
}

const LEFT_OUT = new Set(["pass rate", "trials"]);

/** The leaderboard with a column of the published figures. */
function boardTable(shown: Parameters<typeof leaderboardCells>[0], view: TableView): string {
  const { columns, rows } = leaderboardCells(shown);
  const kept = columns.flatMap(({ head }, i) => (LEFT_OUT.has(head) ? [] : [i]));
  const published = new Map(
    zeroEvalGsmRuns.map((run) => [gsmEvaluationId(run.model), run.published.accuracy / 100]),
  );
  return screenTable(
    [...kept.flatMap((i) => columns[i] ?? []), { head: "published", align: "right" }],
    rows.map((cells, at) => {
      const figure = published.get(shown.answer.entries[at]?.evaluation_call_id ?? "") ?? null;
      return [...kept.map((i) => cells[i] ?? NOTHING), meanText(figure, "binary")];
    }),
    view,
  );
}

function citation({ repository, commit, licence, attribution }: typeof zeroEvalGsm.source): string {
  return `${repository.replace("https://", "")} @${commit.slice(0, 7)}, ${licence}, ${attribution}`;
}

/** Commands to try next, which a shell runs as they are printed. */
function nextSteps(where: string): string[] {
  return [
    "The rows first on which they differ (without --format table as JSON):",
    `  echo '{"evaluation_call_ids": ["${LARGER}", "${SMALLER}"],`,
    `    "sort_by": [{"field": "scores.correct", "mode": "difference", "direction": "desc"}],`,
    `    "include_raw_data_rows": true, "include_summary": true, "limit": 5}' |`,
    `  npx evalcube query ${where} --format table -`,
    "Every evaluation of the project:",
    `  npx evalcube evaluations ${where} --format table`,
  ];
}
