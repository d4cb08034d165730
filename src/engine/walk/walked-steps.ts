import { columnKind, type TreeColumn, type WalkScope } from "../../compile/walk/call-tree.ts";
import type { Key } from "../../model/digest.ts";
import {
  OPERATIONS,
  type NamedStep,
  type Operation,
  type Step,
  type StepList,
  type TrialSteps,
} from "../../model/steps.ts";
import { mapInSlices, type Turns } from "../../model/turns.ts";
import type { Session } from "../../store/session.ts";
import type { TextColumn } from "./tree-values.ts";
import { CHAT, ERROR_UNKNOWN, FRAME, HAS_ERROR, NO_START, NO_TIMES, TOOL } from "./find-steps.ts";
import { NONE } from "./hash-index.ts";
import { walkTrials, type Walk } from "./walk-steps.ts";

/** Members of steps that are read where they are asked for. */
const COLUMNS = {
  name: "name",
  model: "model",
  durationSeconds: "microseconds",
  inputTokens: "inputTokens",
  outputTokens: "outputTokens",
  cachedTokens: "cachedTokens",
  cost: "cost",
  finishReason: "finishReason",
  errorType: "errorType",
  callId: "id",
  parentId: "parentId",
} as const satisfies Partial<Record<keyof NamedStep, TreeColumn>>;

type Asked = keyof typeof COLUMNS;

/** All of these members. */
export const STEP_MEMBERS = Object.keys(COLUMNS) as readonly Asked[];

interface WalkedTrialSteps<One extends Step> extends TrialSteps<One> {
  readonly key: Key;
}

/**
 * The steps of the trials of a scope, those without steps included. Of the members in `Asked` those named are read;
 * another one throws `TypeError` where it is read.
 */
export async function walkedSteps<Member extends Asked>(
  session: Session,
  scope: WalkScope,
  members: readonly Member[],
): Promise<WalkedTrialSteps<"callId" extends Member ? NamedStep : Step>[]> {
  const walk = await walkTrials(
    session,
    scope,
    members.map((member) => COLUMNS[member]),
  );
  const values = await valuesOf(walk, members, session.turns);
  const { calls, starts } = walk.numbered;
  return mapInSlices(walk.trials, ({ key, id, evaluationId, rowDigest }, i) => {
    const steps = new WalkedSteps(walk, values, calls.subarray(starts[i], starts[i + 1]));
    return { key, trialId: id, evaluationCallId: evaluationId, rowDigest, steps };
  });
}

type Numbers = "durationSeconds" | "inputTokens" | "outputTokens" | "cachedTokens" | "cost";

/** Columns of calls; one that was not asked for is missing. */
interface StepValues extends Partial<Record<Numbers, Float64Array>> {
  readonly state: Uint8Array;
  readonly startedAt: BigInt64Array;
  readonly actions: BigInt64Array;
  readonly texts: Partial<Record<Exclude<Asked, Numbers>, TextColumn>>;
}

async function valuesOf({ tree }: Walk, members: readonly Asked[], turns: Turns): Promise<StepValues> {
  const numbers: Partial<Record<Asked, Float64Array>> = {};
  const texts: Partial<Record<Asked, TextColumn>> = {};
  for (const member of members) {
    await turns.take();
    const [column, kind] = [COLUMNS[member], columnKind(COLUMNS[member])];
    if (kind === "double") numbers[member] = tree.numbers(column);
    else texts[member] = kind === "text" ? tree.texts(column) : tree.words(column);
  }
  return {
    ...numbers,
    texts,
    state: tree.bytes("state"),
    startedAt: tree.halves("startedAt").longs,
    actions: tree.halves("action").longs,
  };
}

/** The steps of a trial, each made when it is looked at. */
class WalkedSteps implements StepList<NamedStep> {
  readonly #walk: Walk;
  readonly #values: StepValues;
  readonly #calls: Int32Array;

  constructor(walk: Walk, values: StepValues, calls: Int32Array) {
    this.#walk = walk;
    this.#values = values;
    this.#calls = calls;
  }

  get length(): number {
    return this.#calls.length;
  }

  slice(from: number, to: number): NamedStep[] {
    return Array.from(
      this.#calls.subarray(from, to),
      (call) => new WalkedStep(this.#walk, this.#values, call),
    );
  }
}

/** A call of a walk. */
class WalkedStep implements NamedStep {
  readonly #walk: Walk;
  readonly #values: StepValues;
  readonly #call: number;

  constructor(walk: Walk, values: StepValues, call: number) {
    this.#walk = walk;
    this.#values = values;
    this.#call = call;
  }

  get operation(): Operation {
    return OPERATIONS[this.#operation - 1] ?? "chat";
  }

  get isFrame(): boolean {
    return this.#walk.found.kinds[this.#call] === FRAME;
  }

  get step(): number | null {
    return this.isFrame ? null : (this.#walk.numbered.steps[this.#call] ?? null);
  }

  get turn(): number | null {
    return this.isFrame ? null : (this.#walk.numbered.turns[this.#call] ?? null);
  }

  get name(): string | null {
    return this.#text(this.#values.texts.name);
  }

  get model(): string | null {
    return this.#text(this.#values.texts.model);
  }

  get startedAt(): bigint | null {
    if ((this.#state & (NO_START | NO_TIMES)) !== 0) return null;
    return this.#values.startedAt[this.#call] ?? null;
  }

  get durationSeconds(): number | null {
    const microseconds = this.#number(this.#values.durationSeconds);
    return microseconds === null || (this.#state & NO_TIMES) !== 0 ? null : microseconds / 1e6;
  }

  get inputTokens(): number | null {
    return this.#ofChat(this.#values.inputTokens);
  }

  get outputTokens(): number | null {
    return this.#ofChat(this.#values.outputTokens);
  }

  get cachedTokens(): number | null {
    return this.#ofChat(this.#values.cachedTokens);
  }

  get cost(): number | null {
    return this.#ofChat(this.#values.cost);
  }

  get finishReason(): string | null {
    return this.#text(this.#values.texts.finishReason);
  }

  get errorType(): string | null {
    return this.#text(this.#values.texts.errorType);
  }

  get failed(): boolean | null {
    if ((this.#state & HAS_ERROR) !== 0) return true;
    return (this.#state & ERROR_UNKNOWN) === 0 ? false : null;
  }

  get action(): string | null {
    if (this.#operation !== TOOL) return null;
    const action = this.#values.actions[this.#call] ?? 0n;
    return BigInt.asUintN(64, action).toString(16).padStart(16, "0");
  }

  get repeatOf(): number | null {
    const first = this.#walk.numbered.repeated[this.#call] ?? NONE;
    return first === NONE ? null : (this.#walk.numbered.steps[first] ?? null);
  }

  get depth(): number {
    return this.#walk.places.depth[this.#call] ?? 0;
  }

  get callId(): string {
    return this.#text(this.#values.texts.callId) ?? "";
  }

  get parentId(): string {
    return this.#text(this.#values.texts.parentId) ?? "";
  }

  get #operation(): number {
    return this.#walk.found.operations[this.#call] ?? 0;
  }

  get #state(): number {
    return this.#values.state[this.#call] ?? 0;
  }

  /** Frames have neither tokens nor cost: what is in them has. */
  #ofChat(column: Float64Array | undefined): number | null {
    const value = this.#number(column);
    return this.#operation === CHAT && !this.isFrame ? value : null;
  }

  #number(column: Float64Array | undefined): number | null {
    const value = asked(column)[this.#call] ?? NONE;
    return value < 0 ? null : value;
  }

  #text(column: TextColumn | undefined): string | null {
    return asked(column).at(this.#call);
  }
}

function asked<Column>(column: Column | undefined): Column {
  if (column === undefined) throw new TypeError("a member of a step that was not asked for");
  return column;
}
