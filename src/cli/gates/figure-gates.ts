import type { Engine, LeaderboardAnswer, LeaderboardEntry } from "../../index.ts";
import { parseFieldPath } from "../../model/field-path.ts";
import { usageFault } from "../../request/meaningless.ts";
import { chooseInterval } from "../../stats/estimates/choose-interval.ts";
import { clusteredStandardError } from "../../stats/estimates/clusters.ts";
import { average, studentInterval, type Interval } from "../../stats/estimates/mean.ts";
import { wilson } from "../../stats/estimates/rates.ts";
import { studentTQuantile } from "../../stats/numeric/distributions.ts";
import { bisect } from "../../stats/numeric/special-functions.ts";
import type { Compared } from "../../words/comparison-words.ts";
import { intervalName, outOf } from "../../words/figures.ts";
import { scoreName } from "../../words/score.ts";
import { isBeyond, type FigureGate, type Gate, type Threshold } from "./parse-gate.ts";
import { comparedRows } from "./read-board.ts";

/** Intervals of the shares of trials in error, by evaluation. */
export type ErrorIntervals = ReadonlyMap<string, Interval | null>;

/** Why a gate on figures of the candidates is met, in one line each. */
export function figureReasons(
  gate: FigureGate,
  compared: Compared,
  board: LeaderboardAnswer,
  errors: ErrorIntervals,
): string[] {
  const { kind, name: scorer, threshold, text, shown: asks } = gate;
  const { confidence } = compared.answer;
  const dimension = kind === "score" ? dimensionOf(scorer, board) : -1;
  return compared.sides.flatMap(({ baseline, candidate: id }) => {
    const entry = entryOf(id, board);
    if (entry === undefined) return [];
    const { value, over } =
      kind === "errors"
        ? errorsOf(entry)
        : kind === "coverage"
          ? coverageOf(baseline, id, entry, compared, board)
          : scoreOf(entry, dimension);
    if (value !== null && !isBeyond(value, threshold)) return [];
    const interval = !asks
      ? null
      : kind === "errors"
        ? (errors.get(id) ?? null)
        : meanInterval(entry, dimension, confidence);
    if (value !== null && asks && !interval?.every((end) => isBeyond(end, threshold))) return [];
    const shown = value === null ? "no value" : figureText(value, threshold);
    const range = interval?.map((end) => figureText(end, threshold)).join(" to ");
    const sure = range === undefined ? "" : `, ${intervalName(confidence)} ${range}`;
    const isPoint = value !== null && !asks ? POINT : "";
    const name = compared.names.get(id) ?? id;
    return [`${text}: ${name} has ${shown} (${over}${sure})${isPoint}`];
  });
}

/** What the line of a gate that reads a point ends with. */
export const POINT = " (point, not shown)";

/** The interval of a mean at a confidence; boards have that of 95 %. */
function meanInterval({ scores }: LeaderboardEntry, dimension: number, confidence: number): Interval | null {
  const score = scores[dimension];
  if (score === undefined || confidence === BOARD_CONFIDENCE) return score?.confidence_interval ?? null;
  const { row_mean: mean, standard_error: error, interval_method: method, confidence_interval: own } = score;
  if (own === null || mean === null) return null;
  const n = score.scored_row_count;
  const single = score.trial_count === n;
  const df = method === "clustered-t" && error !== null ? freedomOf((own[1] - own[0]) / 2 / error) : n - 1;
  if (method !== "wilson") return studentInterval(mean, error, df, confidence);
  const rows = { n, mean, standardError: error, zeroOne: true, single };
  return chooseInterval(rows, confidence).confidence_interval;
}

const BOARD_CONFIDENCE = 0.95;

/** The degrees of freedom of which 97.5 % lie below this t. */
function freedomOf(t: number): number {
  return bisect((df) => studentTQuantile((1 + BOARD_CONFIDENCE) / 2, df) < t, 1, 1e6);
}

/** The entry of an evaluation, or of a model by its name. */
function entryOf(id: string, { by, entries }: LeaderboardAnswer): LeaderboardEntry | undefined {
  return entries.find((one) => (by === "model" ? one.model : one.evaluation_call_id) === id);
}

/** The index of the one dimension with this name. Throws `RequestError` where the name stands for several. */
function dimensionOf(name: string, { dimensions }: LeaderboardAnswer): number {
  const field = parseFieldPath(`scores.${name}`);
  const wanted = "error" in field ? name : field.segments.join(".");
  const names = dimensions.map(scoreName);
  const exact = names.indexOf(wanted);
  if (exact !== -1) return exact;
  const below = names.filter((one) => one.startsWith(`${wanted}.`));
  if (below.length === 1) return names.indexOf(below[0] ?? "");
  throw usageFault(
    ["--fail-on"],
    `${JSON.stringify(name)} stands for ${below.length} scores; name one: ${below.slice(0, MOST_NAMED).join(", ")}`,
  );
}

const MOST_NAMED = 20;

interface Figure {
  readonly value: number | null;
  /** What the figure is of. */
  readonly over: string;
}

function errorsOf({ error_count, trial_count }: LeaderboardEntry): Figure {
  const value = trial_count === 0 ? null : error_count / trial_count;
  return { value, over: `${error_count} of ${trial_count} trials` };
}

/** Rows that the candidate shares with the baseline, of the rows of the baseline. */
function coverageOf(
  baseline: string,
  id: string,
  { tasks }: LeaderboardEntry,
  { answer }: Compared,
  board: LeaderboardAnswer,
): Figure {
  const own = entryOf(baseline, board);
  const rows = own?.row_count ?? 0;
  const names = new Set(tasks?.map(({ name }) => name));
  const alone = own?.tasks?.reduce((sum, task) => (names.has(task.name) ? sum : sum + task.rows), 0) ?? 0;
  const missed = answer.comparisons.find(
    (one) => one.baseline === baseline && one.candidate === id,
  )?.n_only_baseline;
  const lost = missed === undefined ? rows : missed + alone;
  return {
    value: rows === 0 ? null : (rows - lost) / rows,
    over: `${rows - lost} of ${rows} rows of the baseline`,
  };
}

function scoreOf({ scores, row_count }: LeaderboardEntry, dimension: number): Figure {
  const score = scores[dimension];
  const rows = score?.scored_row_count ?? 0;
  return { value: score?.row_mean ?? null, over: `mean over ${outOf(rows, row_count)} rows` };
}

/** Six digits, so that a figure just beyond its threshold does not look like the threshold. */
export function figureText(value: number, { percent }: Threshold): string {
  return percent ? `${Number((value * 100).toPrecision(6))}%` : String(Number(value.toPrecision(6)));
}

/** Reads the intervals that gates on shown errors need: Wilson's of the trials, with rows as clusters of their own. */
export async function readErrors(
  engine: Engine,
  project: string,
  { request, sides, answer }: Compared,
  gates: readonly Gate[],
  signal: AbortSignal,
): Promise<ErrorIntervals> {
  const found = new Map<string, Interval | null>();
  if (!gates.some((gate) => gate.kind === "errors" && gate.shown)) return found;
  const { evaluations: _all, ...rows } = comparedRows(request, sides);
  const light = { ...rows, include_outputs: false, include_trial_errors: true };
  for (const { candidate: id } of sides) {
    const asked = { ...light, evaluation_call_ids: [id] };
    const all = await engine.queryEvalResults(project, asked, { signal });
    const trials = all.rows.flatMap((row) =>
      row.evaluations.flatMap((one) =>
        one.trials.map(({ error }) => ({ row: row.row_digest, failed: Number(error != null) })),
      ),
    );
    found.set(id, shareInterval(trials, answer.confidence));
  }
  return found;
}

function shareInterval(
  trials: readonly { readonly row: string; readonly failed: number }[],
  confidence: number,
): Interval | null {
  if (trials.length === 0) return null;
  const failed = trials.map((one) => one.failed);
  const rows = trials.map(({ row }) => row);
  const [share, count] = [average(failed), new Set(rows).size];
  const error = count < trials.length ? clusteredStandardError(failed, rows) : null;
  const n = error === null || error === 0 ? count : (share * (1 - share)) / error ** 2;
  return wilson(share * n, n, confidence);
}
