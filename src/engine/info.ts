import { compileAllEvaluations } from "../compile/catalog/project.ts";
import { checkOptions, RULE } from "../flow/check-options.ts";
import type { RowOf } from "../store/query.ts";
import { grouped } from "../model/grouped.ts";
import { formatTimestamp } from "../model/timestamp.ts";
import type { Measured } from "../store/measured.ts";
import type { Backend } from "./backend.ts";
import type { DatabaseInfo, InfoOptions } from "./database-info.ts";
import type { Store } from "../store/session.ts";

const MOST_LARGEST = 10;

/** Tells how large a database is, and how old what it has. */
export async function readInfo(
  { store, measure }: Pick<Backend<Store>, "store" | "measure">,
  options: InfoOptions,
): Promise<DatabaseInfo> {
  checkOptions(options, INFO_RULES);
  const { projects: wanted, signal } = options;
  const measured = await measure(signal);
  const listed = await store.read(async (session) => {
    await session.about(null, []);
    return session.all(compileAllEvaluations());
  }, signal);
  const among = wanted === undefined ? null : new Set(wanted);
  const isWanted = (project: string) => among === null || among.has(project);
  const bytesOf = sharesOf(measured);
  const own = listed.filter(({ project }) => isWanted(project));
  const projects = projectsOf(measured, own, bytesOf).filter(({ project_id }) => isWanted(project_id));
  const { database, format, last_write_at } = measured;
  const total = (member: "bytes" | "call_count" | "trial_count") =>
    projects.reduce((sum, project) => sum + project[member], 0);
  const { bytes, log_bytes } = among === null ? measured : { bytes: total("bytes"), log_bytes: 0 };
  return {
    database,
    format,
    bytes,
    log_bytes,
    last_write_at,
    calls: total("call_count"),
    trials: total("trial_count"),
    ...endsOf(own),
    projects,
    largest: largestOf(measured, own, bytesOf),
  };
}

/** Of the options of `info`. */
export const INFO_RULES = {
  signal: RULE.signal,
  projects: {
    allowed: "a list of projects",
    fits: (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  },
};

type Listed = readonly RowOf<typeof compileAllEvaluations>[];
type BytesOf = (weight: number) => number;

/** The bytes that a weight stands for: those of the database and its log are those of all projects. */
function sharesOf({ projects, bytes, log_bytes }: Measured): BytesOf {
  const all = projects.reduce((sum, { weight }) => sum + weight, 0);
  return (weight) => (all === 0 ? 0 : Math.floor(((bytes + log_bytes) * weight) / all));
}

function projectsOf({ projects }: Measured, listed: Listed, bytesOf: BytesOf): DatabaseInfo["projects"] {
  const byProject = grouped(listed, ({ project }) => project);
  const counted = projects.map(({ id, weight, calls }) => {
    const evaluations = byProject.get(id) ?? [];
    return {
      project_id: id,
      evaluation_count: evaluations.length,
      trial_count: evaluations.reduce((sum, { trials }) => sum + trials, 0),
      call_count: calls,
      bytes: bytesOf(weight),
    };
  });
  return counted.toSorted((a, b) => (a.project_id < b.project_id ? -1 : 1));
}

function largestOf(measured: Measured, listed: Listed, bytesOf: BytesOf): DatabaseInfo["largest"] {
  const weights = new Map(
    measured.evaluations.map(({ project, id, weight }) => [`${project}/${id}`, weight]),
  );
  const sized = listed.map(({ project, id, displayName, trials }) => ({
    id,
    project_id: project,
    display_name: displayName,
    trials,
    bytes: bytesOf(weights.get(`${project}/${id}`) ?? 0),
  }));
  return sized.toSorted((a, b) => b.bytes - a.bytes).slice(0, MOST_LARGEST);
}

function endsOf(listed: Listed): Pick<DatabaseInfo, "oldest" | "newest"> {
  const dated = listed.flatMap(({ id, startedAt }) =>
    startedAt === null ? [] : [{ id, started_at: formatTimestamp(startedAt) }],
  );
  return { oldest: dated[0] ?? null, newest: dated.at(-1) ?? null };
}
