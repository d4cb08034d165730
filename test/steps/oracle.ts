import { createHash } from "node:crypto";
import { canonicalJson } from "../../src/model/digest.ts";
import type { Json } from "../../src/model/json.ts";
import { groupedError } from "../../src/model/messages.ts";

/*
 * What the steps of trials are, in plain code over whole calls: no SQL, no hashes, no numbers for operations.
 */

export type TreeCall = {
  id: string;
  project_id: string;
  op_name: string;
  started_at: string;
  ended_at?: string;
  parent_id?: string;
  deleted_at?: string;
  exception?: string;
  attributes?: Record<string, Json>;
  inputs?: Record<string, Json>;
  output?: Json;
  summary?: Record<string, Json>;
};

/** A record of the view `steps`. */
export type StepRow = Readonly<Record<string, string | number | null>>;

type Operation = "chat" | "execute_tool" | "invoke_agent";

/** A call below a trial. */
interface Node {
  readonly call: TreeCall;
  readonly depth: number;
  readonly above: Node | null;
  readonly below: Node[];
  readonly judged: boolean;
  readonly named: Operation | "none" | null;
}

const TRIAL = /(^|\/op\/)Evaluation\.predict_?[aA]nd_?[sS]core(:|$)/;

export function expectedSteps(calls: readonly TreeCall[]): StepRow[] {
  const all = new Map(calls.map((call) => [call.id, call]));
  const children = (id: string) =>
    calls.filter((one) => one.parent_id === id && !isHidden(one, all) && !isTrial(one));
  const isTrial = (call: TreeCall) => TRIAL.test(call.op_name) && call.parent_id !== undefined;
  const trials = calls.filter((call) => isTrial(call) && !isHidden(call, all));
  const evaluations = new Set(trials.map((trial) => trial.parent_id));
  const rows = trials.flatMap((trial) => {
    const predict = children(trial.id)
      .toSorted(byStart)
      .find(({ op_name }) => /predict|invoke/i.test(nameOf(op_name)));
    const scorer = Object.keys(
      Object((trial.output as Record<string, Json> | undefined)?.["scores"]),
    ).includes("judge")
      ? children(trial.id).find(({ op_name }) => nameOf(op_name) === "judge.scorer")?.id
      : undefined;
    const nodes: Node[] = [];
    const visit = (id: string, above: Node | null, depth: number) => {
      for (const call of children(id)) {
        const own = marksScore(call) || (above === null && call.id === scorer);
        const isEvaluation = evaluations.has(call.id) || nameOf(call.op_name) === "Evaluation.evaluate";
        const named = isEvaluation ? "none" : namedOperation(call);
        const node: Node = { call, depth, above, below: [], judged: own || (above?.judged ?? false), named };
        nodes.push(node);
        above?.below.push(node);
        visit(call.id, node, depth + 1);
      }
    };
    visit(trial.id, null, 0);
    return stepsOf(nodes, predict?.id ?? null).map((row) => ({
      trial_id: trial.id,
      evaluation_call_id: trial.parent_id ?? "",
      ...row,
    }));
  });
  return rows;
}

function isHidden(call: TreeCall, all: ReadonlyMap<string, TreeCall>): boolean {
  const seen = new Set<string>();
  for (
    let at: TreeCall | undefined = call;
    at !== undefined && !seen.has(at.id);
    at = all.get(at.parent_id ?? "")
  ) {
    if (at.deleted_at !== undefined) return true;
    seen.add(at.id);
  }
  return false;
}

function stepsOf(nodes: readonly Node[], predictId: string | null): StepRow[] {
  const isTold = (node: Node): boolean =>
    node.named === null && tokensOf(node.call) !== null && node.call.id !== predictId && !hasChatBelow(node);
  const hasChatBelow = (node: Node): boolean =>
    node.below.some(
      (one) =>
        one.named === "chat" || (one.named === null && tokensOf(one.call) !== null) || hasChatBelow(one),
    );
  const operationOf = (node: Node): Operation | null =>
    node.named === null ? (isTold(node) ? "chat" : null) : node.named === "none" ? null : node.named;
  const namingAbove = (node: Node): Node | null => {
    let at = node.above;
    while (at !== null && operationOf(at) === null) at = at.above;
    return at;
  };
  const wrappers = new Set(
    nodes.filter((node) => operationOf(node) === "chat" && !node.judged).map(namingAbove),
  );
  const kept = nodes.filter((node) => {
    if (operationOf(node) === null || node.judged) return false;
    const above = namingAbove(node);
    const isTwice =
      operationOf(node) === "execute_tool" &&
      above !== null &&
      operationOf(above) === "execute_tool" &&
      actionOf(node.call) === actionOf(above.call);
    return !isTwice;
  });
  let [step, turn] = [0, 0];
  return kept.toSorted(inOrder).map((node) => {
    const { call } = node;
    const operation = operationOf(node);
    const isFrame = operation === "invoke_agent" || (operation === "chat" && wrappers.has(node));
    if (!isFrame) step++;
    if (!isFrame && operation === "chat") turn++;
    const tokens = operation === "chat" && !isFrame ? tokensOf(call) : null;
    const untimed = attribute(call, "evalcube.untimed");
    const seconds =
      call.ended_at === undefined ? -1 : (Date.parse(call.ended_at) - Date.parse(call.started_at)) / 1000;
    return {
      step: isFrame ? null : step,
      turn: isFrame ? null : turn,
      operation,
      name: operation === "chat" ? null : shown(toolName(call, operation)),
      model: operation === "chat" ? modelOf(call) : null,
      started_at: untimed === true || untimed === "start" ? null : Date.parse(call.started_at),
      duration_seconds: seconds < 0 || untimed === true ? null : seconds,
      input_tokens: tokens?.input ?? null,
      output_tokens: tokens?.output ?? null,
      cached_tokens: tokens?.cached ?? null,
      cost: operation === "chat" && !isFrame ? costOf(call) : null,
      finish_reason: operation === "chat" ? finishOf(call) : null,
      error_type: errorOf(call),
      action: operation === "execute_tool" ? actionOf(call) : null,
      call_id: call.id,
      parent_id: call.parent_id ?? null,
    };
  });
}

function byStart(a: TreeCall, b: TreeCall): number {
  return (
    Date.parse(a.started_at) - Date.parse(b.started_at) ||
    Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
  );
}

function inOrder(a: Node, b: Node): number {
  const place = ({ call }: Node) => count(attribute(call, "evalcube.step")) ?? Infinity;
  const started = Date.parse(a.call.started_at) - Date.parse(b.call.started_at);
  if (started !== 0) return started;
  if (place(a) !== place(b)) return place(a) - place(b);
  return a.depth - b.depth || Buffer.compare(Buffer.from(a.call.id), Buffer.from(b.call.id));
}

/** A member by its dotted name, else nested. */
function attribute({ attributes }: TreeCall, name: string): unknown {
  return attributes?.[name] ?? path(attributes, name);
}

function path(value: unknown, name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>(
      (of, part) =>
        of !== null && typeof of === "object" ? (of as Record<string, unknown>)[part] : undefined,
      value,
    );
}

function textIn(call: TreeCall, ...names: readonly string[]): string | null {
  for (const name of names)
    for (const value of [call.attributes?.[name], path(call.attributes, name)])
      if (typeof value === "string" && value !== "") return value;
  return null;
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function nameOf(op: string): string {
  return /^weave:\/\/\/[^/]+\/[^/]+\/op\/([^:]+):/.exec(op)?.[1] ?? op;
}

function marksScore(call: TreeCall): boolean {
  return path(call.attributes, "weave.score") === true;
}

function namedOperation(call: TreeCall): Operation | "none" | null {
  const genAi = textIn(call, "gen_ai.operation.name");
  if (genAi !== null) {
    if (["chat", "text_completion", "generate_content"].includes(genAi)) return "chat";
    return genAi === "execute_tool" || genAi === "invoke_agent" ? genAi : "none";
  }
  const kind = textIn(call, "weave.kind", "svc.kind");
  const kinds: Record<string, Operation> = {
    llm: "chat",
    tool: "execute_tool",
    search: "execute_tool",
    agent: "invoke_agent",
  };
  if (kind !== null) return kinds[kind] ?? "none";
  const span = textIn(call, "openinference.span.kind")?.toLowerCase() ?? null;
  const spans: Record<string, Operation> = {
    llm: "chat",
    tool: "execute_tool",
    retriever: "execute_tool",
    agent: "invoke_agent",
  };
  if (span !== null) return spans[span] ?? "none";
  const sdk = textIn(call, "ai.operationId");
  if (sdk === null) return null;
  if (sdk.endsWith(".doGenerate") || sdk.endsWith(".doStream")) return "chat";
  return sdk === "ai.toolCall" ? "execute_tool" : "none";
}

interface Tokens {
  readonly input: number | null;
  readonly output: number | null;
  readonly cached: number | null;
}

function tokensOf(call: TreeCall): Tokens | null {
  const own = (input: readonly string[], output: readonly string[], cached: string): Tokens => ({
    input: firstCount(input.map((name) => attribute(call, name))),
    output: firstCount(output.map((name) => attribute(call, name))),
    cached: count(attribute(call, cached)),
  });
  const usage = path(call.summary, "usage");
  const models = usage !== null && typeof usage === "object" ? Object.values(usage).map(usageTokens) : [];
  const sum = (name: keyof Tokens) => {
    const known = models.flatMap((one) => one[name] ?? []);
    return known.length === 0 ? null : known.reduce((total, one) => total + one, 0);
  };
  const told = [
    own(
      ["gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"],
      ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"],
      "gen_ai.usage.cache_read.input_tokens",
    ),
    own(
      ["llm.token_count.prompt"],
      ["llm.token_count.completion"],
      "llm.token_count.prompt_details.cache_read",
    ),
    usageTokens(usage),
    { input: sum("input"), output: sum("output"), cached: sum("cached") },
    usageTokens(path(call, "output.usage")),
  ];
  return told.find(({ input, output }) => input !== null || output !== null) ?? null;
}

function firstCount(values: readonly unknown[]): number | null {
  return values.map(count).find((value) => value !== null) ?? null;
}

function usageTokens(usage: unknown): Tokens {
  const of = (...names: readonly string[]) => firstCount(names.map((name) => path(usage, name)));
  const input = of("prompt_tokens", "input_tokens", "inputTokens");
  const beside = (of("cache_read_input_tokens") ?? 0) + (of("cache_creation_input_tokens") ?? 0);
  return {
    input: input === null ? null : input + beside,
    output: of("completion_tokens", "output_tokens", "outputTokens"),
    cached: of(
      "prompt_tokens_details.cached_tokens",
      "input_tokens_details.cached_tokens",
      "cachedInputTokens",
      "cache_read_input_tokens",
    ),
  };
}

function toolName(call: TreeCall, operation: Operation | null): string {
  if (operation === "invoke_agent") return textIn(call, "gen_ai.agent.name") ?? nameOf(call.op_name);
  return (
    textIn(call, "gen_ai.tool.name", "tool.name", "ai.toolCall.name") ??
    nameOf(call.op_name).replace(/^execute_tool /, "")
  );
}

function shown(name: string): string {
  const points = Array.from(name);
  return points.length <= 200 ? name : `${points.slice(0, 199).join("")}…`;
}

function modelOf(call: TreeCall): string | null {
  const usage = path(call.summary, "usage");
  const names = usage !== null && typeof usage === "object" ? Object.keys(usage) : [];
  const others = [
    names.length === 1 ? names[0] : null,
    path(call, "output.model"),
    path(call, "inputs.model"),
  ];
  return (
    textIn(call, "gen_ai.response.model", "gen_ai.request.model", "llm.model_name") ??
    others.find((one): one is string => typeof one === "string") ??
    null
  );
}

function actionOf(call: TreeCall): string {
  const names = ["gen_ai.tool.call.arguments", "input.value", "ai.toolCall.args"];
  let given = names
    .map((name) => attribute(call, name))
    .find((value) => value !== undefined && value !== null);
  if (given === undefined) {
    const { self: _self, ...others } = call.inputs ?? {};
    given = others;
  }
  if (typeof given === "string" && /^\s*[[{]/.test(given))
    try {
      given = JSON.parse(given) as object;
    } catch {
      // It is a text.
    }
  const text = canonicalJson([toolName(call, "execute_tool"), given as Json]);
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function errorOf(call: TreeCall): string | null {
  const type = textIn(call, "error.type");
  if (type !== null) return Array.from(type).slice(0, 200).join("");
  if (call.exception !== undefined && call.exception !== "") return groupedError(call.exception);
  return textIn(call, "otel.status_code") === "ERROR" ? "error" : null;
}

function costOf(call: TreeCall): number | null {
  const stated = attribute(call, "gen_ai.usage.cost");
  if (typeof stated === "number" && stated >= 0) return stated;
  const usage = Object(path(call.summary, "usage")) as Record<string, unknown>;
  const costs = Object(path(call.summary, "weave.costs")) as Record<string, unknown>;
  const models = new Set([...Object.keys(usage), ...Object.keys(costs)]);
  const each = [...models].map((model) => {
    const parts = ["prompt_tokens_total_cost", "completion_tokens_total_cost"].map((name) =>
      path(costs[model], name),
    );
    const known = parts.filter((one): one is number => typeof one === "number");
    if (known.length > 0) return known.reduce((sum, one) => sum + one, 0);
    const cost = path(usage[model], "cost");
    return typeof cost === "number" && cost >= 0 ? cost : null;
  });
  return each.length === 0 || each.includes(null)
    ? null
    : each.reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

function finishOf(call: TreeCall): string | null {
  const told = attribute(call, "gen_ai.response.finish_reasons");
  const choices = path(call, "output.choices");
  const all = [
    Array.isArray(told) ? (told[0] as unknown) : told,
    Array.isArray(choices) ? path(choices[0], "finish_reason") : null,
    path(call, "output.stop_reason"),
  ];
  return all.find((one): one is string => typeof one === "string") ?? null;
}
