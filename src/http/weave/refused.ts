import { jsonAnswer, type Answer } from "../wire/answer.ts";

const RESULTS = "/v2/{entity}/{project}/eval_results/query";
const COMPLETE = "/v2/{entity}/{project}/calls/complete";
const CONVERSATIONS = "/calls/stream_query";
const FEEDBACK = "/feedback/create";
const VERSIONS = "/objs/query";

/** Operations of W&B Weave's clients that are left out: name, method, path, and where the caller finds the same; null: nowhere. */
type Refused = readonly [operation: string, method: string, path: string, instead: string | null];

const REFUSED: readonly Refused[] = [
  ["agents.query", "POST", "/agents/query", CONVERSATIONS],
  ["agents.search", "POST", "/agents/search", CONVERSATIONS],
  ["agents.agent_versions.query", "POST", "/agents/agent-versions/query", CONVERSATIONS],
  ["agents.conversations.chat", "POST", "/agents/conversations/chat", CONVERSATIONS],
  ["agents.conversations.spans", "POST", "/agents/conversations/spans", CONVERSATIONS],
  ["agents.spans.custom_attrs_schema", "POST", "/agents/spans/custom-attrs/schema", CONVERSATIONS],
  ["agents.spans.query", "POST", "/agents/spans/query", CONVERSATIONS],
  ["agents.spans.stats", "POST", "/agents/spans/stats", CONVERSATIONS],
  ["agents.traces.chat", "POST", "/agents/traces/chat", CONVERSATIONS],
  ["threads.stream_query", "POST", "/threads/stream_query", CONVERSATIONS],
  ["annotation_queues.create", "POST", "/annotation_queues", FEEDBACK],
  ["annotation_queues.query", "POST", "/annotation_queues/query", FEEDBACK],
  ["annotation_queues.stats", "POST", "/annotation_queues/stats", FEEDBACK],
  ["annotation_queues.read", "GET", "/annotation_queues/{queue_id}", FEEDBACK],
  ["annotation_queues.update", "PUT", "/annotation_queues/{queue_id}", FEEDBACK],
  ["annotation_queues.delete", "DELETE", "/annotation_queues/{queue_id}", FEEDBACK],
  ["annotation_queues.items.add", "POST", "/annotation_queues/{queue_id}/items", FEEDBACK],
  ["annotation_queues.items.query", "POST", "/annotation_queues/{queue_id}/items/query", FEEDBACK],
  [
    "annotation_queues.items.update_progress",
    "POST",
    "/annotation_queues/{queue_id}/items/{item_id}/progress",
    FEEDBACK,
  ],
  ["feedback.stats", "POST", "/feedback/stats", "/feedback/query"],
  ["feedback.aggregate", "POST", "/feedback/aggregate", "/feedback/query"],
  ["feedback.payload_schema", "POST", "/feedback/payload_schema", "/feedback/query"],
  ["costs.create", "POST", "/cost/create", RESULTS],
  ["costs.query", "POST", "/cost/query", RESULTS],
  ["costs.purge", "POST", "/cost/purge", RESULTS],
  ["calls.score", "POST", "/calls/score", "/feedback/batch/create"],
  ["calls.stats", "POST", "/calls/stats", RESULTS],
  ["calls.usage", "POST", "/calls/usage", RESULTS],
  ["trace.usage", "POST", "/trace/usage", RESULTS],
  ["completions.create", "POST", "/completions/create", "/v1/chat/completions"],
  ["completions.create_stream", "POST", "/completions/create_stream", "/v1/chat/completions"],
  ["dataset_sources.link", "POST", "/dataset_sources/link", VERSIONS],
  ["dataset_sources.query", "POST", "/dataset_sources/query", VERSIONS],
  ["dataset_sources.source_datasets_query", "POST", "/dataset_sources/source_datasets_query", VERSIONS],
  ["dataset_sources.link_delete", "POST", "/dataset_sources/link_delete", VERSIONS],
  ["evaluations.evaluate_model", "POST", "/evaluations/evaluate_model", COMPLETE],
  ["evaluations.rescore", "POST", "/evaluations/rescore", COMPLETE],
  ["evaluations.status", "POST", "/evaluations/status", "/v2/{entity}/{project}/evaluation_runs"],
  ["files.resolve_url", "POST", "/files/resolve_url", "/file/content"],
  ["files.stats", "POST", "/files/query_stats", "/file/content"],
  ["objects.aliases.list", "GET", "/aliases", VERSIONS],
  ["objects.aliases.set", "PUT", "/objs/{object_id}/aliases", VERSIONS],
  ["objects.aliases.remove", "POST", "/objs/{object_id}/aliases/remove", VERSIONS],
  ["objects.tags.list", "GET", "/tags", VERSIONS],
  ["objects.tags.add", "PUT", "/objs/{object_id}/versions/{digest}/tags", VERSIONS],
  ["objects.tags.remove", "POST", "/objs/{object_id}/versions/{digest}/tags/remove", VERSIONS],
  ["projects.stats", "POST", "/project/stats", "/v2/projects"],
  ["tables.query_stats_batch", "POST", "/table/query_stats_batch", "/table/query_stats"],
  ["v2_datasets.create", "POST", "/v2/{entity}/{project}/datasets", "/table/create"],
  ...["models", "ops", "scorers", "evaluations"].map((kind): Refused => [
    `v2_${kind}.create`,
    "POST",
    `/v2/{entity}/{project}/${kind}`,
    "/obj/create",
  ]),
  ...["datasets", "models", "ops", "scorers"].flatMap((kind): readonly Refused[] => {
    const path = `/v2/{entity}/{project}/${kind}`;
    return [
      [`v2_${kind}.list`, "GET", path, VERSIONS],
      [`v2_${kind}.read`, "GET", `${path}/{object_id}/versions/{digest}`, "/obj/read"],
    ];
  }),
  ...["datasets", "models", "ops", "scorers", "evaluations"].map((kind): Refused => [
    `v2_${kind}.delete`,
    "DELETE",
    `/v2/{entity}/{project}/${kind}/{object_id}`,
    null,
  ]),
  ...["evaluation_runs", "predictions", "scores"].flatMap((kind): readonly Refused[] => {
    const path = `/v2/{entity}/{project}/${kind}`;
    return [
      [`v2_${kind}.create`, "POST", path, COMPLETE],
      [`v2_${kind}.delete`, "DELETE", path, "/calls/delete"],
    ];
  }),
  ...["evaluation_runs", "predictions"].map((kind): Refused => [
    `v2_${kind}.finish`,
    "POST",
    `/v2/{entity}/{project}/${kind}/{id}/finish`,
    "/v2/{entity}/{project}/call/end",
  ]),
  ["objects.delete", "POST", "/obj/delete", null],
  ["images.create", "POST", "/image/create", null],
  ["v2_runtimes.apply", "PUT", "/v2/{entity}/{project}/runtimes/{runtime_name}", null],
  ["projects.ingest_sampling_settings.read", "POST", "/project/ingest_sampling_settings/read", null],
  ["projects.sensitive_data_settings.read", "GET", "/project/sensitive_data_settings", null],
  ["projects.ttl_settings.read", "POST", "/project/ttl_settings/read", null],
  ["projects.ttl_settings.update", "POST", "/project/ttl_settings/update", null],
];

/** Whether nothing is written at a path, whatever the method: what is stored there came as calls or objects. */
const READ_ONLY = /^\/v2\/[^/]+\/[^/]+\/(evaluations|evaluation_runs|predictions|scores)(\/[^/]+){0,3}$/;

const PATTERNS = REFUSED.map(([operation, method, path, instead]) => ({
  operation,
  method,
  instead,
  path: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
}));

/**
 * The refusal of an operation of W&B Weave's clients that is left out: 404, which they do not repeat, with its name and what to use.
 * Undefined for any other. The path is as it was sent.
 */
export function refusalOf(method: string, path: string): Answer | undefined {
  const same = PATTERNS.filter((one) => one.path.test(path));
  const found =
    same.find((one) => one.method === method) ??
    same[0] ??
    (method === "GET" ? undefined : writing(method, path));
  return found === undefined ? undefined : refusal(found.operation, ofProject(found.instead, path));
}

/** A write below a list that is read only is that of its kind. */
function writing(method: string, path: string) {
  const kind = READ_ONLY.exec(path)?.[1];
  const written = `v2_${kind}.${method === "DELETE" ? "delete" : "create"}`;
  return PATTERNS.find(({ operation }) => operation === written);
}

/** The path with the project of the request, where that has one. */
function ofProject(path: string | null, asked: string): string | null {
  const [, version, entity, project] = asked.split("/");
  if (path === null || version !== "v2" || entity === undefined || project === undefined) return path;
  return path.replace("{entity}", () => entity).replace("{project}", () => project);
}

function refusal(operation: string, path: string | null): Answer {
  const advice = path === null ? "Nothing here does the same: leave the call out" : `Use ${path} instead`;
  const reason = `The operation ${operation} of W&B Weave is not part of this service. ${advice}.`;
  return jsonAnswer(JSON.stringify({ reason, operation, instead: path }), { "x-should-retry": "false" }, 404);
}
