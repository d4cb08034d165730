import type { z } from "zod";
import { writeMembers } from "../../model/member-texts.ts";
import { lineMembers } from "../calls/call-line.ts";
import type { EvaluationSeam } from "../request/seam.ts";
import type { runsRequest } from "./requests.ts";
import { membersOf } from "./stored-call.ts";

const PART = 200;

type Listed = Awaited<ReturnType<EvaluationSeam["listEvaluations"]>>[number];

/** The evaluations of a project that a request selects, whatever its page is, as JSON texts, in the order of the list of evaluations. */
export async function* evaluationRuns(
  seam: EvaluationSeam,
  asked: z.output<typeof runsRequest>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const { project_id: projectId, evaluation_run_ids: ids, evaluations, models } = asked;
  const wanted = ids == null ? null : new Set(ids);
  const listed = (await seam.listEvaluations(projectId, signal === undefined ? {} : { signal })).filter(
    ({ id }) => wanted?.has(id) ?? true,
  );
  for (let at = 0; at < listed.length; at += PART) {
    const part = listed.slice(at, at + PART);
    const roots = await seam.stored.calls(
      projectId,
      part.map(({ id }) => id),
      signal,
    );
    for (const one of part) {
      const run = runOf(one, roots.get(one.id), seam.stored.namespaces);
      if (evaluations != null && !evaluations.includes(run.evaluation)) continue;
      if (models != null && !models.includes(run.model)) continue;
      yield writeRun(run, roots.get(one.id));
    }
  }
}

function runOf(listed: Listed, root: string | undefined, namespaces: readonly string[]) {
  const { text, attribute } = membersOf(root, namespaces);
  return {
    evaluation_run_id: listed.id,
    evaluation: text("inputs", "self") ?? text("inputs", "this") ?? attribute("evaluation") ?? "",
    model: text("inputs", "model") ?? attribute("model") ?? "",
    status: listed.ended_at === null ? "running" : listed.exception === null ? "completed" : "failed",
    started_at: listed.started_at,
    finished_at: listed.ended_at,
    source_evaluation_run_id: attribute("source_evaluation_run_id"),
  };
}

function writeRun(run: ReturnType<typeof runOf>, root: string | undefined): string {
  const members = new Map(Object.entries(run).map(([name, value]) => [name, JSON.stringify(value)]));
  const summary = root === undefined ? "null" : (lineMembers(root, null).get("summary") ?? "null");
  return writeMembers(members.set("summary", summary));
}
