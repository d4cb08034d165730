import { createCore, openCore } from "../../src/engine/engine.ts";
import { openBackend } from "../../src/engine/open-backend.ts";
import type { AgreementRequest, CompareRequest, EvalResultsRequest } from "../../src/index.ts";

/** A database on DuckDB and one on ClickHouse, each under its engine. */
export async function openBoth(url: string, database: string, keepAnswers = false) {
  const server = await openBackend({ clickhouse: { url, database }, keepAnswers });
  const onFile = await openCore({ threads: 1, keepAnswers });
  const onServer = createCore(server, { keepAnswers });
  return {
    onFile,
    onServer,
    close: async () => {
      await Promise.all([onFile.close(), onServer.close()]);
    },
  };
}

export type Both = Awaited<ReturnType<typeof openBoth>>;
type Core = Both["onFile"] | Both["onServer"];

/** What one engine says, its refusals too. */
async function said(work: () => Promise<unknown>): Promise<string> {
  try {
    const answer = await work();
    return typeof answer === "string" ? answer : JSON.stringify(answer);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
}

/** The questions about a project whose answers must be the same bytes. */
export interface Questions {
  readonly requests: readonly EvalResultsRequest[];
  readonly compare: CompareRequest | null;
  readonly agreement: AgreementRequest | null;
}

/** The answers of both engines to one question after the other. */
export async function answersOfBoth(
  { onFile, onServer }: Both,
  projectId: string,
  { requests, compare, agreement }: Questions,
): Promise<{ readonly question: string; readonly onFile: string; readonly onServer: string }[]> {
  const asked: [string, (core: Core) => Promise<unknown>][] = [
    ["list", (core) => core.listEvaluations(projectId)],
    ["leaderboard", (core) => core.leaderboard(projectId)],
    ...requests.map((request): [string, (core: Core) => Promise<unknown>] => [
      JSON.stringify(request),
      (core) => core.queryEvalResultsJson(projectId, request),
    ]),
  ];
  if (compare !== null)
    asked.push([JSON.stringify(compare), (core) => core.compareEvaluations(projectId, compare)]);
  if (agreement !== null) {
    const items = { evaluations: agreement.evaluations, scorer: agreement.a };
    asked.push(
      [JSON.stringify(agreement), (core) => core.agreement(projectId, agreement)],
      [JSON.stringify(items), (core) => core.items(projectId, items)],
    );
  }
  const answers = [];
  for (const [question, ask] of asked) {
    const [file, server] = await Promise.all([said(() => ask(onFile)), said(() => ask(onServer))]);
    answers.push({ question, onFile: file, onServer: server });
  }
  return answers;
}

/** Compares and measures agreement between what a project has. */
export async function questionsOf(
  { onFile }: Both,
  projectId: string,
): Promise<Pick<Questions, "compare" | "agreement"> & { readonly ids: readonly string[] }> {
  const ids = (await onFile.listEvaluations(projectId)).map(({ id }) => id);
  const [baseline, ...candidates] = ids;
  if (baseline === undefined) return { ids, compare: null, agreement: null };
  const { summary } = await onFile.queryEvalResults(projectId, {
    evaluation_call_ids: ids,
    include_rows: false,
    include_summary: true,
  });
  const stats = summary?.evaluations.flatMap((one) => one.scorer_stats) ?? [];
  const names = [
    ...new Set(stats.map(({ scorer_key, path }) => (path === null ? scorer_key : `${scorer_key}.${path}`))),
  ];
  const [a, b = a] = names;
  return {
    ids,
    compare: candidates.length === 0 ? null : { baseline, candidates },
    agreement: a === undefined || b === undefined ? null : { evaluations: ids, a, b },
  };
}
