import { openEngine, type Engine, type LeaderboardEntry } from "../../src/index.ts";
import { grouped } from "../../src/model/grouped.ts";
import type { Board, Loaded, Usage } from "./sources.ts";

/** What a board says of an agent. */
export interface AgentFigures {
  readonly agent: string;
  readonly attempts: number;
  readonly resolved: number;
  readonly entry: LeaderboardEntry;
  /** Null where the source does not tell it of all attempts. */
  readonly usage: Usage | null;
  /** By k: the share of tasks of which k attempts all succeed, for each k that all tasks have attempts for. */
  readonly passHatK: readonly (number | null)[];
  /** The variance of the true rates of tasks, and that of an attempt about the rate of its task. */
  readonly spread: { readonly between: number; readonly within: number };
}

export interface BoardFigures {
  readonly agents: readonly AgentFigures[];
  readonly tasks: number;
  /** Tasks that every attempt of every agent solves, and that none does. */
  readonly always: readonly string[];
  readonly never: readonly string[];
  /** The tasks that worse agents solve more often, by `items`. */
  readonly odd: readonly { readonly task: string; readonly discrimination: number }[];
  /** Figures that the source states, and that agree with its attempts; null where it states none. */
  readonly agreeing: number | null;
  /** By the number of runs, from 1: the entries by agent. */
  readonly byRuns: readonly ReadonlyMap<string, LeaderboardEntry>[];
}

interface Attempt {
  readonly agent: string;
  readonly task: string;
  readonly isResolved: boolean;
}

const BY_NAME = new Intl.Collator("en", { numeric: true });

/** What broke or has no verdict is not solved, as the boards count it. */
const FAILED = { count_errors_as: 0, count_nulls_as: 0 } as const;

/** Asks the engine what it says of a local copy, and of its first runs. */
export async function figuresOf(board: Board, source: string): Promise<BoardFigures> {
  const whole = await loaded(board, source, Infinity, wholeOf);
  const runs = Math.max(...whole.agents.map(({ attempts }) => Math.ceil(attempts / whole.tasks)), 0);
  const byRuns: ReadonlyMap<string, LeaderboardEntry>[] = [];
  for (let most = 1; most < runs; most++) byRuns.push(await loaded(board, source, most, entriesOf));
  byRuns.push(new Map(whole.agents.map(({ agent, entry }) => [agent, entry])));
  return { ...whole, byRuns };
}

async function loaded<T>(
  board: Board,
  source: string,
  most: number,
  ask: (asked: Asked) => Promise<T>,
): Promise<T> {
  const engine = await openEngine({ threads: 1 });
  try {
    const from = await board.load(engine, source, most);
    const [found] = await engine.countEvaluations();
    if (found === undefined) throw new Error(`${source}: no results of this board were found there`);
    return await ask({ board, project: found.project_id, engine, from });
  } finally {
    await engine.close();
  }
}

interface Asked {
  readonly board: Board;
  readonly project: string;
  readonly engine: Engine;
  readonly from: Loaded;
}

async function entriesOf({ board, project, engine }: Asked) {
  const request = { scorers: [board.scorer], higher_is_better: [board.scorer], ...FAILED };
  const { entries } = await engine.leaderboard(project, request);
  return new Map(entries.map((entry) => [nameOf(entry), entry]));
}

const nameOf = ({ model, display_name: name, evaluation_call_id: id }: LeaderboardEntry) =>
  model ?? name ?? id;

async function wholeOf(asked: Asked): Promise<Omit<BoardFigures, "byRuns">> {
  const { from } = asked;
  const entries = await entriesOf(asked);
  const ids = new Map([...entries].map(([agent, entry]) => [entry.evaluation_call_id, agent]));
  const attempts = await attemptsOf(asked, ids);
  const tasks = grouped(attempts, ({ task }) => task);
  const where = (isSo: (one: Attempt) => boolean) =>
    [...tasks]
      .filter(([, of]) => of.every(isSo))
      .map(([task]) => task)
      .toSorted(BY_NAME.compare);
  const agents: AgentFigures[] = [];
  for (const [agent, entry] of entries) {
    const own = attempts.filter((one) => one.agent === agent);
    const resolved = own.filter(({ isResolved }) => isResolved).length;
    const usage = from.usage.get(agent) ?? null;
    agents.push({
      agent,
      attempts: own.length,
      resolved,
      entry,
      usage,
      ...(await steadiness(asked, entry, own)),
    });
  }
  return {
    agents,
    tasks: tasks.size,
    always: where(({ isResolved }) => isResolved),
    never: where(({ isResolved }) => !isResolved),
    odd: await oddTasks(asked, [...ids.keys()]),
    agreeing: agreeingFigures(from),
  };
}

/** How many figures the source states that agree with its attempts; null for none. One that differs is an error. */
function agreeingFigures({ results }: Loaded): number | null {
  const checks = results.map((result) => result.checks);
  // What is explained agrees, too: attempts that broke count as failed.
  const differing = checks.flatMap(({ differ }) => differ.filter((one) => one.explained_by === undefined));
  if (differing.length > 0) throw new Error(`stated figures differ: ${JSON.stringify(differing)}`);
  const agreeing = checks.reduce((sum, { agree, differ }) => sum + agree + differ.length, 0);
  return agreeing === 0 ? null : agreeing;
}

/** It takes three agents to tell which tasks the worse ones solve more often. */
async function oddTasks(asked: Asked, evaluations: readonly string[]): Promise<BoardFigures["odd"]> {
  const { board, project, engine } = asked;
  if (evaluations.length < 3) return [];
  const { rows } = await engine.items(project, { evaluations, scorer: board.scorer, limit: 5 });
  const names = await taskNames(asked);
  return rows.flatMap(({ row_digest: row, discrimination }) =>
    discrimination !== null && discrimination < 0 ? [{ task: names.get(row) ?? row, discrimination }] : [],
  );
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

async function attemptsOf(asked: Asked, agents: ReadonlyMap<string, string>) {
  const { board, project, engine } = asked;
  const table = await engine.sql(
    project,
    `select t.evaluation_call_id as evaluation, t.row_digest as row,
       coalesce(s.boolean_value, s.numeric_value = 1, false) as solved
     from trials t left join scores s
       on s.trial_id = t.trial_id and s.scorer_key = ${literal(board.scorer)} and s.path is null`,
  );
  const names = await taskNames(asked);
  return table.toArray().map((one): Attempt => {
    const [evaluation, row] = [String(one["evaluation"]), String(one["row"])];
    return {
      agent: agents.get(evaluation) ?? evaluation,
      task: names.get(row) ?? row,
      isResolved: one["solved"] === true,
    };
  });
}

async function taskNames({ project, engine }: Asked): Promise<ReadonlyMap<string, string>> {
  const statement = `select row_digest, coalesce(value ->> 'task_id', value ->> 'row', value ->> '$') as name from rows`;
  const table = await engine.sql(project, statement);
  return new Map(table.toArray().map((one) => [String(one["row_digest"]), String(one["name"])]));
}

/** How steady an agent is: pass^k, and the spread over tasks and over attempts. */
async function steadiness(
  { board, project, engine }: Asked,
  { evaluation_call_id: id }: LeaderboardEntry,
  own: readonly Attempt[],
): Promise<Pick<AgentFigures, "passHatK" | "spread">> {
  const fewest = Math.min(...[...grouped(own, ({ task }) => task).values()].map((group) => group.length));
  const ks = Array.from({ length: fewest }, (_, n) => n + 1);
  const { summary } = await engine.queryEvalResults(project, {
    evaluation_call_ids: [id],
    include_rows: false,
    include_summary: true,
    pass_k: ks,
    ...FAILED,
  });
  const stats = summary.evaluations[0]?.scorer_stats.find(
    ({ scorer_key: key, path }) => key === board.scorer && path === null,
  );
  const asked = { evaluation: id, scorer: board.scorer, detect: 0.05, trials: [1] };
  const { between, within } = await engine.planRows(project, asked);
  return { passHatK: ks.map((k) => stats?.pass_hat_k?.[k] ?? null), spread: { between, within } };
}
