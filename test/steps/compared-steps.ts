import { createCore } from "../../src/engine/engine.ts";
import { openBackend } from "../../src/engine/open-backend.ts";
import { STEP_MEMBERS, walkedSteps } from "../../src/engine/walk/walked-steps.ts";
import type { EngineOptions } from "../../src/engine/engine-options.ts";
import { sql } from "../../src/store/sql.ts";
import type { StepRow } from "./oracle.ts";

/** A database of which steps are read. */
export async function openSteps(options: EngineOptions = {}) {
  const backend = await openBackend(options.clickhouse === undefined ? { threads: 1, ...options } : options);
  const core = createCore(backend, {});
  return { ...core, fromView: () => fromView(core), fromWalk: () => fromWalk(backend) };
}

type Core = ReturnType<typeof createCore>;
type Backend = Awaited<ReturnType<typeof openBackend>>;

export function inOrder(rows: readonly StepRow[]): StepRow[] {
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keyOf({ trial_id, call_id }: StepRow): string {
  return `${trial_id} ${call_id}`;
}

async function fromView(core: Core): Promise<StepRow[]> {
  const table = await core.sql("own/steps", "SELECT * EXCLUDE (row_digest) FROM steps");
  const rows = table.toArray().map((row: { toJSON: () => Record<string, unknown> }) => row.toJSON());
  return inOrder(
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
      ),
    ) as StepRow[],
  );
}

async function fromWalk({ store }: Backend): Promise<StepRow[]> {
  return store.read(async (session) => {
    await session.about("own/steps", []);
    const ids = await session.rows(sql`SELECT id FROM evaluations`);
    await session.about(
      "own/steps",
      ids.map(([id]) => String(id)),
    );
    const keys = await session.rows(sql`SELECT evaluation_key FROM evaluations`);
    const scope = {
      projectId: "own/steps",
      projectKey: 1,
      evaluationKeys: keys.map(([key]) => Number(key)),
      trialIds: null,
    };
    const trials = await walkedSteps(session, scope, STEP_MEMBERS);
    return inOrder(
      trials.flatMap(({ trialId, evaluationCallId, steps }) =>
        steps.slice(0, steps.length).map((one): StepRow => ({
          trial_id: trialId,
          evaluation_call_id: evaluationCallId,
          step: one.step,
          turn: one.turn,
          operation: one.operation,
          name: one.name,
          model: one.model,
          started_at: one.startedAt === null ? null : Number(one.startedAt / 1000n),
          duration_seconds: one.durationSeconds,
          input_tokens: one.inputTokens,
          output_tokens: one.outputTokens,
          cached_tokens: one.cachedTokens,
          cost: one.cost,
          finish_reason: one.finishReason,
          error_type: one.errorType,
          action: one.action,
          call_id: one.callId,
          parent_id: one.parentId,
        })),
      ),
    );
  });
}
