/** A trial with what its child calls tell, as the hand-written subjects put it together. Times are microseconds. */
export interface TrialRecord {
  readonly id: string;
  readonly evaluationId: string;
  readonly digest: string;
  readonly startedAt: number;
  readonly example: unknown;
  readonly output: unknown;
  readonly scores: Readonly<Record<string, unknown>>;
  readonly predict: PredictFacts | null;
  readonly scorerCallIds: Readonly<Record<string, string>>;
}

export interface PredictFacts {
  readonly id: string;
  readonly latency: number | null;
  readonly tokens: number | null;
}

/** What matters of a child call. */
export interface ChildFacts {
  readonly id: string;
  readonly parentId: string;
  readonly opName: string;
  readonly self: string | null;
  readonly isScore: boolean;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly tokens: number | null;
}

/** A trial's own call. */
export interface TrialFacts {
  readonly id: string;
  readonly evaluationId: string;
  readonly digest: string;
  readonly startedAt: number;
  readonly model: string | null;
  readonly example: unknown;
  readonly output: unknown;
}

export function joinChildren(trial: TrialFacts, children: readonly ChildFacts[]): TrialRecord {
  const ordered = children.toSorted((a, b) => a.startedAt - b.startedAt || compareText(a.id, b.id));
  const { model, output, ...rest } = trial;
  const whole = asObject(output);
  const scores = asObject(whole["scores"]);
  return {
    ...rest,
    output: whole["output"] ?? null,
    scores,
    predict: findPredict(ordered, model),
    scorerCallIds: findScorers(ordered, Object.keys(scores)),
  };
}

export function isScoreCall(attributes: unknown): boolean {
  const mark = asObject(asObject(attributes)["svc"])["score"];
  return mark === true || mark === "true";
}

export function sumTokens(summary: unknown): number | null {
  let total: number | null = null;
  for (const usage of Object.values(asObject(asObject(summary)["usage"]))) {
    const tokens = asObject(usage)["total_tokens"];
    if (typeof tokens === "number") total = (total ?? 0) + tokens;
  }
  return total;
}

/** Null when a database gives no text. */
export function parseJson(text: unknown): unknown {
  return typeof text === "string" ? JSON.parse(text) : null;
}

/** The name in an op reference. */
export function opName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1).replace(/:[^:]*$/, "");
}

export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : nothing;
}

export function groupBy<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

const nothing: Readonly<Record<string, unknown>> = {};

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function findPredict(children: readonly ChildFacts[], model: string | null): PredictFacts | null {
  const call = children.find(
    (child) =>
      !child.isScore && ((model !== null && child.self === model) || /predict|invoke/i.test(child.opName)),
  );
  if (call === undefined) return null;
  const latency = call.endedAt === null ? null : (call.endedAt - call.startedAt) / 1e6;
  return { id: call.id, latency, tokens: call.tokens };
}

function findScorers(children: readonly ChildFacts[], keys: readonly string[]): Record<string, string> {
  const scorers = children.filter((child) => child.isScore || /\.score|scorer/i.test(child.opName));
  const found: Record<string, string> = {};
  for (const key of keys) {
    const text = key.toLowerCase();
    const match = scorers.find((child) => {
      const name = child.opName.toLowerCase();
      return text !== "" && (name.includes(text) || text.includes(name));
    });
    if (match !== undefined) found[key] = match.id;
  }
  return found;
}
