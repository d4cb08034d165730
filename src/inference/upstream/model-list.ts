import { stopWith } from "../../flow/stop-with.ts";
import { clientGone, upstreamBroken } from "../errors/api-error.ts";
import type { InferenceConfig } from "../settings/config.ts";
import { upstreamHeaders, type HeaderSource } from "./request-headers.ts";
import { callUpstream, type Upstream } from "./upstream.ts";
import { plainBody, readWhole } from "./upstream-reply.ts";
import { isJsonObject } from "../../model/json.ts";

/** A server that takes longer to list its models counts as failed. */
const LIST_TIMEOUT_MS = 30_000;
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** One model, with all other members that its server lists. */
interface ModelEntry {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: string;
  readonly root: string;
  readonly [member: string]: unknown;
}

/** Model lists by server, kept for `models_max_age_ms` so that they can stand in when a server fails. */
export interface ModelLists {
  /**
   * Fetches the models that the server lists and is configured to serve; falls back to the kept list when it fails.
   */
  of(upstream: Upstream, caller: HeaderSource, signal: AbortSignal): Promise<readonly ModelEntry[]>;
  /** Like {@link ModelLists.of}, but uses the kept list without asking the server. */
  recent(upstream: Upstream, caller: HeaderSource, signal: AbortSignal): Promise<readonly ModelEntry[]>;
}

/** Creates the lists; a list is fetched only when it is asked for. */
export function createModelLists(config: InferenceConfig): ModelLists {
  const cache = new Map<Upstream, { readonly at: number; readonly entries: readonly ModelEntry[] }>();
  const kept = (upstream: Upstream) => {
    const entry = cache.get(upstream);
    return entry !== undefined && Date.now() - entry.at < config.models_max_age_ms
      ? entry.entries
      : undefined;
  };
  const of: ModelLists["of"] = async (upstream, caller, signal) => {
    try {
      const entries = await fetchList(upstream, config, caller, signal);
      cache.set(upstream, { at: Date.now(), entries });
      return entries;
    } catch (error) {
      const entries = kept(upstream);
      if (entries !== undefined) return entries;
      throw error;
    }
  };
  return { of, recent: async (upstream, caller, signal) => kept(upstream) ?? of(upstream, caller, signal) };
}

/** The models of the servers that answer, and the servers that fail with their errors. */
export interface ModelListing {
  readonly models: readonly ModelEntry[];
  readonly missing: readonly { readonly upstream: Upstream; readonly error: unknown }[];
}

/**
 * Joins the lists in order; a model that several servers list is taken from the first of them. When every server has
 * failed, throws the error of the first.
 */
export function mergeModels(
  upstreams: readonly Upstream[],
  lists: readonly PromiseSettledResult<readonly ModelEntry[]>[],
): ModelListing {
  const byId = new Map<string, ModelEntry>();
  const missing = upstreams.flatMap((upstream, at) => {
    const list = lists[at];
    if (list?.status === "rejected") return { upstream, error: list.reason as unknown };
    for (const entry of list?.value ?? []) if (!byId.has(entry.id)) byId.set(entry.id, entry);
    return [];
  });
  const [first] = missing;
  if (first !== undefined && missing.length === upstreams.length) throw first.error;
  return { models: [...byId.values()], missing };
}

/** Whether the configuration assigns the model to this server. */
export function serves(upstream: Upstream, model: string): boolean {
  return upstream.config.models.includes("*") || upstream.config.models.includes(model);
}

async function fetchList(
  upstream: Upstream,
  config: InferenceConfig,
  caller: HeaderSource,
  signal: AbortSignal,
): Promise<ModelEntry[]> {
  const reply = await callUpstream(upstream, {
    method: "GET",
    path: "/models",
    headers: { ...upstreamHeaders(upstream, caller, null), accept: "application/json" },
    headersTimeoutMs: Math.min(config.timeouts.headers_ms || LIST_TIMEOUT_MS, LIST_TIMEOUT_MS),
    stop: stopWith(signal, clientGone),
  });
  const body = plainBody(reply.body, reply.headers["content-encoding"]);
  const bytes = await readWhole(body, LIST_TIMEOUT_MS, MAX_LIST_BYTES);
  if (reply.statusCode !== 200) throw upstreamBroken();
  return readList(bytes).filter((entry) => serves(upstream, entry.id));
}

function readList(bytes: Uint8Array): ModelEntry[] {
  let list: unknown;
  try {
    list = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw upstreamBroken(cause);
  }
  if (!isJsonObject(list) || !Array.isArray(list["data"])) throw upstreamBroken();
  return list["data"].flatMap((entry: unknown) => (isJsonObject(entry) ? readEntry(entry) : []));
}

function readEntry(entry: Record<string, unknown>): ModelEntry[] {
  const { id, created, owned_by: owner, root } = entry;
  if (typeof id !== "string" || id === "") return [];
  return [
    {
      ...entry,
      id,
      object: "model",
      created: Number.isSafeInteger(created) ? Number(created) : 0,
      owned_by: typeof owner === "string" ? owner : "",
      root: typeof root === "string" ? root : id,
    },
  ];
}
