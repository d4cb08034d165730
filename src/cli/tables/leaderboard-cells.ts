import { cellsOf, type Cells, type CellColumn, type PrintedColumn } from "../../text/text-table.ts";
import type { LeaderboardAnswer, LeaderboardEntry, LeaderboardRequest } from "../../index.ts";
import {
  counted,
  countText,
  meanText,
  meanWithHalf,
  NOTHING,
  moneyText,
  outOf,
  rankText,
} from "../../words/figures.ts";
import { hasGoodSide, scoreName, scoreOf, shownType, type Score } from "../../words/score.ts";
import { sliceText } from "../../words/slices.ts";
import { labelOf, LESS, markOf, saysLess, standingOf } from "../../words/standings.ts";
import { oneLine } from "../../model/plain-line.ts";
import { fitLines, missingLines, shownTable, type TableView } from "./screen-table.ts";

/** A leaderboard, and what the reader said about it. */
export interface ShownLeaderboard {
  readonly answer: LeaderboardAnswer;
  readonly request: Pick<LeaderboardRequest, "scorers" | "lower_is_better" | "higher_is_better">;
  /** Labels by evaluation id. */
  readonly names: ReadonlyMap<string, string>;
}

type LeaderboardColumn = CellColumn<LeaderboardEntry>;

/** The columns of a leaderboard, and the cells of each entry; columns in which nothing stands are left out. */
export function leaderboardCells(shown: ShownLeaderboard): Cells {
  const { entries } = shown.answer;
  const columns = [
    ...nameColumns(shown),
    ...scoreColumns(shown),
    ...sliceColumns(shown.answer),
    ...countColumns(shown.answer),
    ...usageColumns(),
  ];
  const isFilled = ({ cell }: LeaderboardColumn) => entries.some((one, at) => cell(one, at) !== NOTHING);
  return cellsOf(
    columns.filter((column, i) => i === 0 || isFilled(column)),
    entries,
  );
}

/** What the columns mean, in one or two lines. */
export function leaderboardNotes(shown: ShownLeaderboard): string[] {
  const { answer } = shown;
  const { headline, dimensions, family_size: family, adjust, entries } = answer;
  const dimension = headline === null ? undefined : dimensions[headline];
  if (dimension === undefined)
    return [entries.length === 0 ? "No evaluation." : "No score of numbers or booleans."];
  const hidden = dimensions.length - shownDimensions(shown).length;
  const against = `Rank: the places that each may have by ${scoreName(dimension)}, 95% together (${counted(family, "pair")}, ${adjust}).`;
  return [
    `± is half of the 95% interval of the mean over ${MEAN_OVER[answer.weights ?? "one"]}.`,
    ...(entries.length < 2 ? [] : [against]),
    ...(entries.some(({ against_best: one }) => one !== null && saysLess(one))
      ? [
          `${LESS.trim()} Alone it would have shown a difference; among ${counted(family, "pair")} it does not.`,
        ]
      : []),
    ...sliceNotesOf(answer),
    ...(hidden === 0 ? [] : [`${hidden} more scores; name some with --scorer.`]),
    ...(answer.notes ?? []),
  ];
}

function sliceNotesOf({ slicing }: LeaderboardAnswer): string[] {
  if (slicing === undefined) return [];
  const shown = Math.min(MOST_SLICES, slicing.values.length);
  const named = slicing.fields.join(" and ");
  return [
    `${outOf(shown, slicing.slice_count)} values of ${named} have a column with the mean of their ${slicing.descriptive === true ? "trials; they are outcomes, and nothing is tested" : "rows"}.`,
  ];
}

const MEAN_OVER = { one: "rows", rows: "the rows of all tasks", tasks: "tasks, which weigh alike" } as const;

const left = (head: string, telling = 0): PrintedColumn => ({ head, telling });
const right = (head: string, telling = 0): PrintedColumn => ({ head, telling, align: "right" });

function nameColumns({ answer, names }: ShownLeaderboard): LeaderboardColumn[] {
  const evaluation: LeaderboardColumn = {
    ...left("evaluation", answer.by === "evaluation" ? 9 : 5),
    labels: true,
    cell: (one) => names.get(one.evaluation_call_id) ?? one.evaluation_call_id,
  };
  if (answer.by === "evaluation") return [evaluation];
  const model: LeaderboardColumn = {
    ...left("model", 9),
    labels: true,
    cell: (one) => one.model ?? NOTHING,
  };
  if (answer.weights !== undefined)
    return [model, { ...right("tasks", 5), cell: (one) => countText(one.task_count ?? 0) }];
  return [
    model,
    evaluation,
    {
      ...right("of"),
      cell: (one) => (one.evaluation_count === 1 ? NOTHING : countText(one.evaluation_count)),
    },
  ];
}

/** Dimensions shown besides the headline score where the reader named none. */
const MOST_OTHERS = 3;

function shownDimensions({ answer, request }: ShownLeaderboard): number[] {
  const { dimensions, headline } = answer;
  const named = request.scorers != null;
  if (headline === null) return [];
  const others = dimensions.map((_, i) => i).filter((i) => i !== headline);
  return [headline, ...(named ? others : others.slice(0, MOST_OTHERS))];
}

const MOST_SLICES = 8;

/** A column for each of the largest slices of the headline score. */
function sliceColumns({ dimensions, headline, slicing }: LeaderboardAnswer): LeaderboardColumn[] {
  const dimension = dimensions[headline ?? -1];
  if (dimension === undefined || headline === null) return [];
  return (slicing?.values ?? []).slice(0, MOST_SLICES).map(({ value }, i) => ({
    ...right(sliceText(value), 2),
    named: true,
    cell: ({ scores }) => {
      const slice = scores[headline]?.slices?.[i];
      const mean = slice?.descriptive === true ? slice.mean : slice?.row_mean;
      return meanText(mean ?? null, shownType(dimension));
    },
  }));
}

function scoreColumn(dimension: LeaderboardAnswer["dimensions"][number], isHeadline: boolean): PrintedColumn {
  const name = scoreName(dimension);
  return {
    ...right(dimension.unit === "money" ? `${name} a row` : name, isHeadline ? 8 : 4),
    named: true,
  };
}

function scoreColumns(shown: ShownLeaderboard): LeaderboardColumn[] {
  const { answer } = shown;
  const { dimensions, headline } = answer;
  return shownDimensions(shown).flatMap((i): LeaderboardColumn[] => {
    const dimension = dimensions[i];
    if (dimension === undefined) return [];
    const mean: LeaderboardColumn = {
      ...scoreColumn(dimension, i === headline),
      cell: ({ scores }) =>
        meanWithHalf(
          scores[i]?.row_mean ?? null,
          scores[i]?.confidence_interval ?? null,
          shownType(dimension),
        ),
    };
    if (i !== headline) return [mean];
    return [
      mean,
      {
        ...right("rank", 6),
        cell: (one) => (answer.entries.length < 2 ? NOTHING : rankText(one.rank_interval)),
      },
      {
        ...left("against the best", 7),
        whole: true,
        cell: (one) =>
          answer.entries.length < 2
            ? NOTHING
            : standingText(one, scoreOf(dimension, shownType(dimension), shown.request)),
      },
      {
        ...right("pass rate", 1),
        cell: ({ scores }) => meanText(scores[i]?.pass_rate ?? null, "binary"),
      },
      { ...right("rows", 5), cell: (one) => outOf(one.scores[i]?.scored_row_count ?? 0, one.row_count) },
    ];
  });
}

/** The words for a standing. The best one by its own mean may be worse on the rows that both have. */
function standingText({ standing, against_best: against }: LeaderboardEntry, score: Score): string {
  if (standing === null) return NOTHING;
  if (standing === "best") return hasGoodSide(score) ? "best" : score.lower_is_better ? "lowest" : "highest";
  if (against === null) return `${markOf("none")} ${labelOf("none", score)}`;
  const known = standingOf(against, true);
  // One that another evaluation than the best is shown better than.
  const worse = standing === "worse" ? "regressed" : standing === "moved" ? "moved_down" : known;
  const own = known === "not_shown_worse" ? worse : known;
  const said = `${markOf(own)} ${labelOf(own, score)}${saysLess(against) ? LESS : ""}`;
  return own === "improved" ? `${said} on shared rows` : said;
}

function countColumns({ headline }: LeaderboardAnswer): LeaderboardColumn[] {
  const count = (head: string, of: (entry: LeaderboardEntry) => number): LeaderboardColumn => ({
    ...right(head, 3),
    cell: (entry) => (of(entry) === 0 ? NOTHING : countText(of(entry))),
  });
  const score = (entry: LeaderboardEntry) => entry.scores[headline ?? 0];
  return [
    { ...right("trials", 1), cell: ({ trial_count }) => countText(trial_count) },
    count("errors", (entry) => entry.error_count),
    count("null", (entry) => score(entry)?.null_count ?? 0),
    count("missing", (entry) => score(entry)?.missing_count ?? 0),
  ];
}

function usageColumns(): LeaderboardColumn[] {
  return [
    {
      ...right("tokens", 1),
      cell: ({ tokens, trial_count }) => partial(tokens.total, tokens.trial_count, trial_count, countText),
    },
    {
      ...right("latency p50", 1),
      cell: ({ latency, trial_count }) =>
        partial(latency.p50_seconds, latency.trial_count, trial_count, secondsText),
    },
    {
      ...right("cost", 2),
      cell: ({ cost, trial_count }) =>
        partial(cost?.total ?? null, cost?.trial_count ?? 0, trial_count, moneyText),
    },
  ];
}

function secondsText(seconds: number): string {
  return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
}

/** A figure with the number of trials behind it, where these are not all. */
function partial(
  value: number | null,
  known: number,
  trials: number,
  text: (value: number) => string,
): string {
  if (value === null) return NOTHING;
  return known === trials ? text(value) : `${text(value)} (${outOf(known, trials)})`;
}

/** Formats a leaderboard, then what its columns mean. */
export function leaderboardTable(shown: ShownLeaderboard, view: TableView): string {
  const { columns, rows } = leaderboardCells(shown);
  const notes = fitLines(leaderboardNotes(shown).map(oneLine).join("\n"), view);
  if (rows.length === 0) return notes;
  const { text, missing } = shownTable(columns, rows, view);
  return [text, notes, ...missingLines([missing], view)].join("\n\n");
}
