import type { TreeColumn, WalkScope } from "../../compile/walk/call-tree.ts";
import { OPERATIONS, type NamedStep, type Operation, type Step, type TrialSteps } from "../../model/steps.ts";
import type { Session } from "../../store/session.ts";
import { AT_ONCE } from "./find-places.ts";
import { CHAT, ERROR_UNKNOWN, FRAME, HAS_ERROR, NO_START, NO_TIMES, TOOL } from "./find-steps.ts";
import { NONE } from "./hash-index.ts";
import { walkTrials, type Walk } from "./walk-steps.ts";

/** Members of steps that are read where they are asked for. */
const COLUMNS = {
  name: "name",
  model: "model",
  durationSeconds: "seconds",
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

/**
 * The steps of the trials of a scope, those without steps included. Of the members in `Asked` those named are read;
 * another one throws `TypeError` where it is read.
 */
export async function walkedSteps<Member extends Asked>(
  session: Session,
  scope: WalkScope,
  asked: readonly Member[],
): Promise<TrialSteps<"callId" extends Member ? NamedStep : Step>[]> {
  const walk = await walkTrials(
    session,
    scope,
    asked.map((member) => COLUMNS[member]),
  );
  const found: TrialSteps<NamedStep>[] = [];
  const { calls, starts } = walk.numbered;
  for (const [i, { id, evaluationId, rowDigest }] of walk.trials.entries()) {
    await session.turns.take();
    const steps: NamedStep[] = [];
    for (let at = starts[i] ?? 0; at < (starts[i + 1] ?? 0); at++) {
      if ((at & AT_ONCE) === 0) await session.turns.take();
      steps.push(new WalkedStep(walk, calls[at] ?? 0));
    }
    found.push({ trialId: id, evaluationCallId: evaluationId, rowDigest, steps });
  }
  return found;
}

/** A call of a walk, which has its values; a trial may have a million. */
class WalkedStep implements NamedStep {
  readonly #walk: Walk;
  readonly #call: number;

  constructor(walk: Walk, call: number) {
    this.#walk = walk;
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
    return this.#text("name");
  }

  get model(): string | null {
    return this.#text("model");
  }

  get startedAt(): bigint | null {
    if ((this.#state & (NO_START | NO_TIMES)) !== 0) return null;
    return this.#walk.tree.halves("startedAt").longs[this.#call] ?? null;
  }

  get durationSeconds(): number | null {
    return (this.#state & NO_TIMES) === 0 ? this.#number("seconds") : null;
  }

  get inputTokens(): number | null {
    return this.#ofChat("inputTokens");
  }

  get outputTokens(): number | null {
    return this.#ofChat("outputTokens");
  }

  get cachedTokens(): number | null {
    return this.#ofChat("cachedTokens");
  }

  get cost(): number | null {
    return this.#ofChat("cost");
  }

  get finishReason(): string | null {
    return this.#text("finishReason");
  }

  get errorType(): string | null {
    return this.#text("errorType");
  }

  get failed(): boolean | null {
    if ((this.#state & HAS_ERROR) !== 0) return true;
    return (this.#state & ERROR_UNKNOWN) === 0 ? false : null;
  }

  get action(): string | null {
    if (this.#operation !== TOOL) return null;
    const action = this.#walk.tree.halves("action").longs[this.#call] ?? 0n;
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
    return this.#text("id") ?? "";
  }

  get parentId(): string {
    return this.#text("parentId") ?? "";
  }

  get #operation(): number {
    return this.#walk.found.operations[this.#call] ?? 0;
  }

  get #state(): number {
    return this.#walk.tree.numbers("state")[this.#call] ?? 0;
  }

  /** Frames have neither tokens nor cost: what is in them has. */
  #ofChat(column: TreeColumn): number | null {
    return this.#operation === CHAT && !this.isFrame ? this.#number(column) : null;
  }

  #number(column: TreeColumn): number | null {
    const value = this.#walk.tree.numbers(column)[this.#call] ?? -1;
    return value < 0 ? null : value;
  }

  #text(column: TreeColumn): string | null {
    return this.#walk.tree.words(column).at(this.#call);
  }
}
