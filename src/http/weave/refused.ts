import { jsonAnswer, type Answer } from "../wire/answer.ts";

const RESULTS = "/v2/{entity}/{project}/eval_results/query";
const COMPLETE = "/v2/{entity}/{project}/calls/complete";
const CONVERSATIONS = "/calls/stream_query";
const FEEDBACK = "/feedback/create";
const VERSIONS = "/objs/query";

/**
 * Operations of W&B Weave's clients that are left out: name, method, path, and where the caller finds the same; null:
 * nowhere.
 */
type Refused = readonly [operation: string, method: string, path: string, instead: string | null];

/** Where the caller finds the same -> paths by POST of operations that are named as their paths are. */
const NAMED_AS_PATHS = {
  [CONVERSATIONS]: [
    "/agents/query",
    "/agents/search",
    "/agents/agent-versions/query",
    "/agents/conversations/chat",
    "/agents/conversations/spans",
    "/agents/spans/query",
    "/agents/spans/stats",
    "/agents/traces/chat",
    "/threads/stream_query",
  ],
  [FEEDBACK]: ["/annotation_queues/query", "/annotation_queues/stats"],
  "/feedback/batch/create": ["/calls/score"],
  [RESULTS]: ["/calls/stats", "/calls/usage", "/trace/usage"],
  "/v1/chat/completions": ["/completions/create", "/completions/create_stream"],
  [VERSIONS]: ["link", "query", "source_datasets_query", "link_delete"].map((it) => `/dataset_sources/${it}`),
  [COMPLETE]: ["/evaluations/evaluate_model", "/evaluations/rescore"],
  "/v2/{entity}/{project}/evaluation_runs": ["/evaluations/status"],
  "/file/content": ["/files/resolve_url"],
};

const VERSION = "{object_id}/versions/{digest}";
const END = "/v2/{entity}/{project}/call/end";

/** One operation for each kind, below the project; `rest` gives method, path and what does the same. */
function each(
  kinds: string,
  verb: string,
  rest: (path: string) => readonly [string, string, string | null],
): readonly Refused[] {
  return kinds.split(" ").map((kind) => [`v2_${kind}.${verb}`, ...rest(`/v2/{entity}/{project}/${kind}`)]);
}

const REFUSED: readonly Refused[] = [
  ...Object.entries(NAMED_AS_PATHS).flatMap(([instead, paths]) =>
    paths.map((path): Refused => [
      path.slice(1).replaceAll("/", ".").replaceAll("-", "_"),
      "POST",
      path,
      instead,
    ]),
  ),
  ["agents.spans.custom_attrs_schema", "POST", "/agents/spans/custom-attrs/schema", CONVERSATIONS],
  ["annotation_queues.create", "POST", "/annotation_queues", FEEDBACK],
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
  ...each("models ops scorers evaluations", "create", (path) => ["POST", path, "/obj/create"]),
  ...each("datasets models ops scorers", "list", (path) => ["GET", path, VERSIONS]),
  ...each("datasets models ops scorers", "read", (path) => ["GET", `${path}/${VERSION}`, "/obj/read"]),
  ...each("datasets models ops scorers evaluations", "delete", (path) => [
    "DELETE",
    `${path}/{object_id}`,
    null,
  ]),
  ...each("evaluation_runs predictions scores", "create", (path) => ["POST", path, COMPLETE]),
  ...each("evaluation_runs predictions scores", "delete", (path) => ["DELETE", path, "/calls/delete"]),
  ...each("evaluation_runs predictions", "finish", (path) => ["POST", `${path}/{id}/finish`, END]),
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
  path: new RegExp(`^${path.replaceAll(/\{[^{}]+\}/g, "[^/]+")}$`),
}));

/**
 * The refusal of an operation of W&B Weave's clients that is left out: 404, which they do not repeat, with its name and
 * what to use. Undefined for any other. The path is as it was sent.
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
