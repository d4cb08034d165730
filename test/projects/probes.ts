import { twinOf, type Choices } from "./choices.ts";
import { WEAVE_BUILDS } from "./weave-probes.ts";
import { OWNER, STRANGER, type OwnerIds } from "./two-projects.ts";

/** A request of a stranger. */
export interface Asked {
  readonly path: string;
  readonly scheme: "Basic" | "Bearer";
  /** Undefined: GET. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One thing that a stranger may ask, with something of the owner's in it or with its twin, which does not exist. */
export interface Probe {
  readonly name: string;
  /** What the two requests name. */
  readonly foreign: string;
  readonly absent: string;
  readonly ask: (named: string) => Asked;
}

const MODEL = "0198b0d4-0000-4000-8000-00000000000a";

/** Makes a probe of what the owner has. */
export type Build = (
  ids: OwnerIds,
  choices: Choices,
) => Omit<Probe, "name" | "absent"> & { readonly absent?: string };

const project = (id: string) => id.split("/").map(encodeURIComponent).join("/");
const answerOf = (endpoint: "query" | "compare" | "report", id: string, body: unknown): Asked => ({
  path: `/v2/${project(id)}/eval_results/${endpoint}`,
  scheme: "Basic",
  body,
});
const create = (body: object): Asked => ({ path: "/feedback/create", scheme: "Basic", body });
const preview = (path: string, more: Partial<Asked> = {}): Asked => ({
  path: `/v1/preview/${path}`,
  scheme: "Bearer",
  ...more,
});

/** Another spelling of a uuid that means the same. */
function spelled({ pick }: Choices, id: string): string {
  return pick([id, id, id.toUpperCase(), id.replaceAll("-", "")]);
}

function evaluationRequest({ pick, maybe }: Choices, id: string): object {
  const filter = { query: { $expr: { $gte: [{ $getField: "scores.acc" }, { $literal: 0 }] } } };
  const sort = { field: pick(["scores.acc", "inputs.question", "outputs"]).replace("outputs", "outputs.a") };
  return {
    evaluation_call_ids: pick([[id], ["mine", id], [id, "mine"]]),
    include_rows: maybe(),
    include_summary: maybe(),
    include_raw_data_rows: maybe(),
    resolve_row_refs: maybe(),
    require_intersection: maybe(),
    include_feedback: maybe(),
    include_uncertainty: maybe(),
    include_usage: maybe(),
    include_row_counts: maybe(),
    include_trial_errors: maybe(),
    include_outputs: maybe(),
    histogram_bins: pick([null, 4]),
    moved: pick([null, { field: "scores.acc" }, { field: "scores.acc", baseline: id, direction: "up" }]),
    missing: pick([null, null, { field: "scores.acc" }]),
    search: pick([null, null, "a"]),
    include_predict_and_score_children: maybe(),
    ...(maybe() ? { filters: [maybe() ? filter : { ...filter, evaluation_call_id: id }] } : {}),
    ...(maybe() ? { sort_by: [maybe() ? sort : { ...sort, evaluation_call_id: id }] } : {}),
    limit: pick([null, 0, 1, 10]),
    offset: pick([0, 1]),
  };
}

function feedbackOn(call: string, projectId = STRANGER): object {
  const svc_ref = `svc:///${projectId}/call/${call}`;
  return { project_id: STRANGER, svc_ref, feedback_type: "note", payload: { value: 1 } };
}

function pageQuery({
  ids,
  after,
  pick,
}: Choices & { readonly ids: readonly string[]; readonly after: (id: string) => string }) {
  const id = pick(ids);
  return pick([
    "",
    "",
    "?limit=1",
    "?limit=0",
    "?order=desc",
    "?order=x",
    `?after=${after(id)}`,
    "?after=none",
  ]);
}

const BUILDS: Readonly<Record<string, Build>> = {
  ...WEAVE_BUILDS,
  "results of an evaluation": (ids, choices) => {
    const foreign = choices.pick([...ids.evaluations, ...ids.calls]);
    const text = JSON.stringify(evaluationRequest(choices, "<id>"));
    return { foreign, ask: (id) => answerOf("query", STRANGER, JSON.parse(text.replaceAll("<id>", id))) };
  },
  "results of a project": (ids, choices) => {
    const body = evaluationRequest(choices, choices.pick(ids.evaluations));
    return { foreign: OWNER, ask: (id) => answerOf("query", id, body) };
  },
  "a comparison with an evaluation": (ids, { pick }) => {
    const sides = pick([
      (id: string) => ({ baseline: "mine", candidates: [id] }),
      (id: string) => ({ baseline: id, candidates: ["mine"] }),
    ]);
    return { foreign: pick(ids.evaluations), ask: (id) => answerOf("compare", STRANGER, sides(id)) };
  },
  "a report of an evaluation": (ids, { pick }) => {
    const others = pick([[], ["mine"]]);
    return {
      foreign: pick(ids.evaluations),
      ask: (id) => answerOf("report", STRANGER, { evaluations: [...others, id] }),
    };
  },
  "a comparison or a report of a project": (ids, { pick }) => {
    const [baseline, candidate] = [pick(ids.evaluations.slice(0, 2)), pick(ids.evaluations.slice(2))];
    const asked = pick([
      (id: string) => answerOf("compare", id, { baseline, candidates: [candidate] }),
      (id: string) => answerOf("report", id, {}),
    ]);
    return { foreign: OWNER, ask: asked };
  },
  "evaluations of a project": () => ({
    foreign: OWNER,
    ask: (id) => ({ path: `/v2/${project(id)}/evaluations`, scheme: "Basic" }),
  }),
  // Nothing is named: what must not be told is that there is the owner's project.
  "the list of projects": (ids, { pick }) => ({
    foreign: pick(ids.evaluations),
    ask: () => ({ path: "/v2/projects", scheme: "Basic" }),
  }),
  "feedback under an id": (ids, { pick }) => ({
    foreign: pick(ids.feedback),
    ask: (id) => create({ ...feedbackOn("mine-0"), id }),
  }),
  "feedback on a call": (ids, { pick }) => ({
    foreign: pick(ids.calls),
    ask: (id) => create(feedbackOn(id)),
  }),
  "feedback on a project's call": (ids, { pick }) => {
    const call = pick(ids.calls);
    return { foreign: OWNER, ask: (id) => create(feedbackOn(call, id)) };
  },
  "feedback in a batch": (ids, { pick }) => ({
    foreign: pick(ids.feedback),
    ask: (id) => ({
      path: "/feedback/batch/create",
      scheme: "Basic",
      body: { batch: [feedbackOn("mine-0"), { ...feedbackOn("mine-0"), id }] },
    }),
  }),
  "a purge": (ids, { pick }) => ({
    foreign: pick(ids.feedback),
    ask: (id) => ({
      path: "/feedback/purge",
      scheme: "Basic",
      body: { project_id: STRANGER, query: { $expr: { $eq: [{ $getField: "id" }, { $literal: id }] } } },
    }),
  }),
  "a purge in a project": () => ({
    foreign: OWNER,
    ask: (id) => ({
      path: "/feedback/purge",
      scheme: "Basic",
      body: { project_id: id, query: { $expr: { $eq: [{ $getField: "id" }, { $literal: "x" }] } } },
    }),
  }),
  "feedback in a project": (ids, { pick }) => {
    const call = pick(ids.calls);
    return { foreign: OWNER, ask: (id) => create({ ...feedbackOn(call, id), project_id: id }) };
  },
  // A job may name a model that does not exist, so a registered model's twin is one that is not registered.
  "a job of a model": (ids, choices) => {
    const at = choices.pick([0, 1, 2, 3]);
    const headers = choices.maybe() ? { "openai-project": STRANGER } : {};
    const spell = choices.pick([(id: string) => id, (id: string) => id.toUpperCase()]);
    return {
      foreign: ids.registeredModels[at] ?? "",
      absent: ids.unregisteredModels[at] ?? "",
      ask: (id) =>
        preview("training-jobs", { body: { model_id: spell(id), trajectory_groups: [] }, headers }),
    };
  },
  "a job under an idempotency key": (ids, { pick }) => ({
    foreign: pick(ids.idempotencyKeys),
    ask: (id) =>
      preview("training-jobs", {
        body: { model_id: MODEL, trajectory_groups: [] },
        headers: { "idempotency-key": id },
      }),
  }),
  "checkpoints of a model": (ids, choices) => {
    const foreign = spelled(choices, choices.pick([...ids.registeredModels, ...ids.unregisteredModels]));
    const query = pageQuery({ ...choices, ids: ids.checkpoints, after: choices.pick([twinOf, String]) });
    return { foreign, ask: (id) => preview(`models/${id}/checkpoints${query}`) };
  },
  "checkpoints after one of a model": (ids, choices) => ({
    foreign: choices.pick(ids.checkpoints),
    ask: (id) => preview(`models/${MODEL}/checkpoints?after=${id}`),
  }),
  "events of a job": (ids, choices) => {
    const foreign = spelled(choices, choices.pick(ids.jobs));
    const query = pageQuery({ ...choices, ids: ids.events, after: choices.pick([twinOf, String]) });
    return { foreign, ask: (id) => preview(`training-jobs/${id}/events${query}`) };
  },
  "a model of a name": (ids, { pick, maybe }) => {
    const body = { entity: pick([null, "evil"]), project: "x", base_model: "b", return_existing: maybe() };
    return { foreign: pick(ids.modelNames), ask: (name) => preview("models", { body: { ...body, name } }) };
  },
  "a model in a project": (ids, { pick }) => {
    const name = pick(ids.modelNames);
    return {
      foreign: OWNER,
      ask: (id) => {
        const [entity, named] = id.split("/");
        return preview("models", { body: { entity, project: named, name, base_model: "b" } });
      },
    };
  },
  "a request for a project": (_ids, { pick }) => {
    const asked = pick<Asked>([
      { path: "/v1/models", scheme: "Bearer" },
      { path: "/v1/chat/completions", scheme: "Bearer", body: { model: "m", messages: [] } },
      preview("training-jobs", { body: { model_id: MODEL, trajectory_groups: [] } }),
    ]);
    return { foreign: OWNER, ask: (id) => ({ ...asked, headers: { "openai-project": id } }) };
  },
  "a model of the model server": (ids, { pick }) => ({
    foreign: pick(ids.modelNames),
    ask: (model) => ({ path: "/v1/chat/completions", scheme: "Bearer", body: { model, messages: [] } }),
  }),
};

/** What can be asked, by name. */
export const PROBE_NAMES: readonly string[] = Object.keys(BUILDS);

export function buildProbe(name: string, ids: OwnerIds, choices: Choices): Probe {
  const built = BUILDS[name]?.(ids, choices);
  if (built === undefined) throw new Error(`no probe is called ${name}`);
  return { name, ...built, absent: built.absent ?? twinOf(built.foreign) };
}
