/** What the holder of a key may do; each right has those before it. */
export const RIGHTS = ["read", "write", "admin"] as const;
export type Right = (typeof RIGHTS)[number];

export function isEnough(can: Right, need: Right): boolean {
  return RIGHTS.indexOf(can) >= RIGHTS.indexOf(need);
}

/** What only asks, whatever its path: the tools of agents do. */
const ASKING: ReadonlySet<string> = new Set(["GET", "TOOL"]);

const OF_PROJECT = "/v2/{entity}/{project}";

/** Routes that need another right than `write`; a path that ends with `/` stands for all below it. */
const NEEDS: readonly (readonly [need: Right, method: string, ...paths: string[]])[] = [
  ["read", "POST", `${OF_PROJECT}/eval_results/`, `${OF_PROJECT}/sql`, `${OF_PROJECT}/export`, "/mcp"],
  ["read", "POST", "/calls/stream_query", "/calls/query_stats", "/call/read", "/obj/read", "/objs/query"],
  ["read", "POST", "/refs/read_batch", "/table/query", "/table/query_stats", "/file/content"],
  ["read", "POST", "/feedback/query", "/graphql", "/service/projects_info"],
  ["admin", "POST", "/calls/delete", "/backup"],
  ["admin", "DELETE", `${OF_PROJECT}/evaluations`, "/v1/preview/models/{model_id}"],
];

/** The right that a route needs, or a tool of agents: method `TOOL` and its name. */
export function needOf(method: string, path: string): Right {
  if (ASKING.has(method)) return "read";
  const found = NEEDS.find(([, of, ...paths]) => of === method && paths.some((one) => covers(one, path)));
  return found?.[0] ?? "write";
}

function covers(one: string, path: string): boolean {
  return one === path || (one.endsWith("/") && path.startsWith(one));
}
