import { grouped } from "../grouped.ts";
import { parsedOr } from "../json-text.ts";
import { isJsonObject, writeJson, type Json, type JsonObject } from "../json.ts";
import { sumTokens, type TokenSums } from "../token-counts.ts";
import type { Span, ToldScore } from "./export.ts";

/** What the spans below a run of an agent tell of it. */
export interface AgentTrial {
  readonly root: Span;
  /** All spans below the root, by start. */
  readonly below: readonly Span[];
  /** The id of the run that it is part of; null where nothing says one. */
  readonly run: string | null;
  readonly task: string;
  readonly model: string;
  readonly agent: string | null;
  /** What identifies its row. */
  readonly row: JsonObject & Readonly<Record<string, string>>;
  readonly scores: { readonly [name: string]: Json };
  readonly details: JsonObject;
  /** That it broke, and how; null where a score was given. */
  readonly error: string | null;
  readonly stopReason: string | null;
  readonly tokens: ReadonlyMap<string, TokenSums>;
  readonly cost: number | null;
  readonly output: Json;
}

/** The trials among some spans, by start, and what lies in none. */
interface ToldTrials {
  readonly trials: readonly AgentTrial[];
  /** Traces without an agent; spans that lie in no trial of a trace that has one; scores of none. */
  readonly traces: number;
  readonly spans: number;
  readonly scores: number;
}

const OPERATION = "gen_ai.operation.name";
const CHATS: ReadonlySet<Json> = new Set(["chat", "text_completion", "generate_content"]);

/** Finds the trials among whole traces, in whatever order and however often their spans come. */
export function agentTrials(all: readonly Span[], told: readonly ToldScore[]): ToldTrials {
  const traces = [...grouped(distinctSpans(all), ({ trace }) => trace).values()].map(placedSpans);
  const scores = placedScores(told, traces);
  const trials = traces.flatMap((trace) =>
    [...grouped(trace, ([, root]) => root)].flatMap(([root, some]) => {
      const below = some.flatMap(([span]) => (span === root ? [] : [span])).sort(byStart);
      return root === null ? [] : [trialOf(root, below, scores.get(root) ?? [])];
    }),
  );
  const ofAgents = traces.filter((trace) => [...trace.values()].some((root) => root !== null));
  return {
    trials: trials.sort((a, b) => byStart(a.root, b.root)),
    traces: traces.length - ofAgents.length,
    spans: ofAgents.flatMap((trace) => [...trace.values()]).filter((root) => root === null).length,
    scores: scores.get(null)?.length ?? 0,
  };
}

function byStart(a: Span, b: Span): number {
  if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** Each span once: of several the one that ended last. */
function distinctSpans(spans: readonly Span[]): Span[] {
  const same = grouped(spans, ({ trace, id }) => `${trace}/${id}`);
  return Array.from(same.values(), (all) =>
    all.length === 1 ? all : all.toSorted((a, b) => byEnd(a, b)).slice(-1),
  ).flat();
}

function byEnd(a: Span, b: Span): number {
  const [first, second] = [a.endedAt ?? 0n, b.endedAt ?? 0n];
  if (first !== second) return first < second ? -1 : 1;
  const [text, other] = [writeJson(a.attributes), writeJson(b.attributes)];
  return text < other ? -1 : text > other ? 1 : 0;
}

/** The spans of a trace, each with the highest agent that it is or lies below; null where there is none. */
function placedSpans(spans: readonly Span[]): Map<Span, Span | null> {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const found = new Map<Span, Span | null>();
  for (const span of spans) {
    const way: Span[] = [];
    const met = new Set<Span>();
    let at: Span | undefined = span;
    while (at !== undefined && !met.has(at) && !found.has(at)) {
      met.add(at);
      way.push(at);
      at = at.parent === null ? undefined : byId.get(at.parent);
    }
    // Spans whose parents are a circle lie below nothing.
    let root = at === undefined || met.has(at) ? null : (found.get(at) ?? null);
    const isCircle = at !== undefined && met.has(at);
    for (const one of way.toReversed()) {
      if (root === null && !isCircle && one.attributes[OPERATION] === "invoke_agent") root = one;
      found.set(one, root);
    }
  }
  return found;
}

/** Scores by the root of their trial: of their span, else of the answer that they name, else of their trace. */
function placedScores(
  told: readonly ToldScore[],
  traces: readonly ReadonlyMap<Span, Span | null>[],
): Map<Span | null, ToldScore[]> {
  const bySpan = new Map<string, Span>();
  const byResponse = new Map<string, Span>();
  const byTrace = new Map<string, Span>();
  for (const trace of traces)
    for (const [span, root] of [...trace].sort(([a], [b]) => byStart(a, b))) {
      if (root === null) continue;
      bySpan.set(`${span.trace}/${span.id}`, root);
      const response = span.attributes["gen_ai.response.id"];
      if (typeof response === "string" && !byResponse.has(response)) byResponse.set(response, root);
      if (!byTrace.has(span.trace)) byTrace.set(span.trace, root);
    }
  return grouped(
    told,
    ({ trace, span, response }) =>
      bySpan.get(`${trace}/${span}`) ?? byResponse.get(response ?? "") ?? byTrace.get(trace ?? "") ?? null,
  );
}

function trialOf(root: Span, below: readonly Span[], told: readonly ToldScore[]): AgentTrial {
  const { attributes, resource } = root;
  const chats = chatsAmong(below);
  const service = textIn(resource, "service.name");
  const both = { ...resource, ...attributes };
  const model = textIn(attributes, "gen_ai.request.model") ?? mostNamed(chats.map(modelOf)) ?? "unknown";
  const latest = told.toSorted(byTime);
  const scores = Object.fromEntries(latest.map(({ name, value }) => [name, value]));
  const isScored = Object.values(scores).some((value) => value !== null);
  const broke = textIn(attributes, "error.type");
  const said = latest.filter(({ details }) => Object.keys(details).length > 0);
  return {
    root,
    below,
    run: textIn(both, "test.suite.run.id"),
    task: textIn(both, "test.suite.name") ?? service ?? "agents",
    model,
    agent: textIn(attributes, "gen_ai.agent.name"),
    row: rowOf(root),
    scores: isScored || (broke === null && !root.failed) ? scores : {},
    details: Object.fromEntries(said.map(({ name, details }) => [name, details])),
    error: isScored || (broke === null && !root.failed) ? null : errorText(root, broke),
    stopReason: broke ?? chats.map(finishOf).at(-1) ?? null,
    tokens: tokensOf(root, chats, model),
    cost: knownSum([root].map(costOf)) ?? knownSum(chats.map(costOf)),
    output: lastText(root.attributes) ?? lastText(chats.at(-1)?.attributes ?? {}),
  };
}

function byTime(a: ToldScore, b: ToldScore): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  const [text, other] = [writeJson([a.value, a.details]), writeJson([b.value, b.details])];
  return text < other ? -1 : text > other ? 1 : 0;
}

function errorText({ message }: Span, type: string | null): string {
  if (message === null) return type ?? "error";
  return type === null || message.includes(type) ? message : `${type}: ${message}`;
}

function rowOf({ attributes, trace }: Span): AgentTrial["row"] {
  for (const name of ["test.case.id", "gen_ai.conversation.id"]) {
    const id = textIn(attributes, name);
    if (id !== null) return { [name]: id };
  }
  return { trace_id: trace };
}

/** Calls of models by start, without those that another one stands directly below, which tell it twice. */
function chatsAmong(spans: readonly Span[]): Span[] {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const around = new Set<Span>();
  const chats = spans.filter(({ attributes }) => CHATS.has(attributes[OPERATION] ?? null));
  for (const chat of chats) {
    let at = byId.get(chat.parent ?? "");
    while (at !== undefined && textIn(at.attributes, OPERATION) === null) at = byId.get(at.parent ?? "");
    if (at !== undefined) around.add(at);
  }
  return chats.filter((chat) => !around.has(chat));
}

const modelOf = ({ attributes }: Span) =>
  textIn(attributes, "gen_ai.response.model") ?? textIn(attributes, "gen_ai.request.model");

function mostNamed(names: readonly (string | null)[]): string | null {
  const counts = [
    ...grouped(
      names.filter((name) => name !== null),
      (name) => name,
    ),
  ];
  const [most] = counts.sort(([a, all], [b, others]) => others.length - all.length || (a < b ? -1 : 1));
  return most?.[0] ?? null;
}

function finishOf({ attributes }: Span): string | null {
  const reasons = attributes["gen_ai.response.finish_reasons"] ?? null;
  const reason = Array.isArray(reasons) ? ((reasons as readonly Json[])[0] ?? null) : reasons;
  return typeof reason === "string" ? reason : null;
}

/** Usage by model: that of the root, else of its calls of models, where all tell. No call of a model takes 0 tokens. */
function tokensOf(root: Span, chats: readonly Span[], model: string): Map<string, TokenSums> {
  const own = countsOf(root);
  if (own !== null) return new Map([[model, own]]);
  const told = chats.map((chat) => ({ of: modelOf(chat) ?? model, counts: countsOf(chat) }));
  if (told.some(({ counts }) => counts === null)) return new Map();
  const byModel = grouped(told, ({ of }) => of);
  return new Map(
    Array.from(byModel, ([of, some]) => [of, sumTokens(some.flatMap((one) => one.counts ?? []))]),
  );
}

const INPUT = ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"];
const OUTPUT = ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"];

function countsOf({ attributes }: Span): TokenSums | null {
  const [input, output] = [INPUT, OUTPUT].map((names) => numberIn(attributes, names)) as [
    number | null,
    number | null,
  ];
  if ((input === null && output === null) || input === 0) return null;
  return { input, output, cached: numberIn(attributes, ["gen_ai.usage.cache_read.input_tokens"]) };
}

const costOf = ({ attributes }: Span) => numberIn(attributes, ["gen_ai.usage.cost"]);

/** The sum of these where all are known. */
function knownSum(values: readonly (number | null)[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value), 0);
}

function numberIn(attributes: JsonObject, names: readonly string[]): number | null {
  const found = names
    .map((name) => attributes[name])
    .find((value) => typeof value === "number" && value >= 0);
  return typeof found === "number" ? found : null;
}

function textIn(attributes: JsonObject, name: string): string | null {
  const value = attributes[name];
  return typeof value === "string" && value !== "" ? value : null;
}

/** The last text among the messages that a span gave: JSON, or a list of objects with parts. */
function lastText(attributes: JsonObject): string | null {
  const given = attributes["gen_ai.output.messages"] ?? null;
  const messages = typeof given === "string" ? parsedOr(given) : given;
  if (typeof messages === "string") return messages;
  const last = (Array.isArray(messages) ? (messages as readonly Json[]) : []).at(-1) ?? null;
  if (!isJsonObject(last)) return null;
  const parts = last["parts"] ?? last["content"] ?? null;
  if (typeof parts === "string") return parts;
  const texts = (Array.isArray(parts) ? (parts as readonly Json[]) : []).flatMap((part) => {
    const text = isJsonObject(part) ? (part["content"] ?? part["text"]) : part;
    return typeof text === "string" ? [text] : [];
  });
  return texts.length === 0 ? null : texts.join("\n");
}
