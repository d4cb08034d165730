import { inSlices, type Turns } from "../../model/turns.ts";
import { PREDICTS, SCORES, STANDS_APART, type Places } from "./find-places.ts";
import { NONE } from "./hash-index.ts";
import type { CallTree } from "./read-tree.ts";

/** The operations by their numbers in the tree, and the marks beside them. */
export const CHAT = 1;
export const TOOL = 2;
const AGENT = 3;
const BY_USAGE = 4;
const IS_SCORE = 8;
export const ERROR_UNKNOWN = 16;
export const HAS_ERROR = 32;
export const NO_START = 64;
export const NO_TIMES = 128;

/** What calls are. */
export interface FoundSteps {
  /** 0 for none. */
  readonly operations: Uint8Array;
  readonly kinds: Uint8Array;
}

/** Kinds of calls; what is 0 is no step and no frame. */
export const STEP = 1;
export const FRAME = 2;

/** Tells which calls with a place are steps and frames. */
export async function findSteps(tree: CallTree, places: Places, turns: Turns): Promise<FoundSteps> {
  const { order, depth } = places;
  const found = { operations: new Uint8Array(tree.length), kinds: new Uint8Array(tree.length) };
  const above = nearestAbove(tree.length, depth);
  const passes = [
    noteAbove(tree, places, above),
    tellOperations(tree, places, above, found),
    tellKinds(tree, places, above, found),
  ];
  for (const pass of passes)
    await inSlices(order.length, turns, (from, to) => {
      for (let i = from; i < to; i++) pass(order[i] ?? 0);
    });
  return found;
}

type Pass = (call: number) => void;

/** Of each call the nearest one above that names an operation, the nearest told by its usage; whether one scores. */
interface Above {
  readonly named: Int32Array;
  readonly told: Int32Array;
  readonly scored: Uint8Array;
  /** Whether a chat is below a call that is told by its usage, which is then none itself. */
  readonly wraps: Uint8Array;
  readonly depth: Int32Array;
}

function nearestAbove(length: number, depth: Int32Array): Above {
  return {
    depth,
    named: new Int32Array(length).fill(NONE),
    told: new Int32Array(length).fill(NONE),
    scored: new Uint8Array(length),
    wraps: new Uint8Array(length),
  };
}

const OPERATION = 3;

/** Tools and agents sum the usage of what they call upwards: what is above a chat wraps it. */
function noteAbove(tree: CallTree, { above, marks }: Places, { named, told, scored, wraps }: Above): Pass {
  const state = tree.bytes("state");
  const operationOf = (call: number) =>
    ((marks[call] ?? 0) & STANDS_APART) === 0 ? (state[call] ?? 0) & OPERATION : 0;
  return (call) => {
    const parent = above[call] ?? NONE;
    const isScore = ((state[call] ?? 0) & IS_SCORE) !== 0;
    if (parent === NONE) {
      scored[call] = Number(isScore || ((marks[call] ?? 0) & SCORES) !== 0);
      return;
    }
    scored[call] = Number(isScore || scored[parent] === 1);
    const isStep = operationOf(parent) !== 0;
    const isTold = ((state[parent] ?? 0) & BY_USAGE) !== 0;
    named[call] = isStep && !isTold ? parent : (named[parent] ?? NONE);
    const wrapper = isStep && isTold ? parent : (told[parent] ?? NONE);
    told[call] = wrapper;
    if (wrapper !== NONE && operationOf(call) === CHAT) wraps[wrapper] = 1;
  };
}

/** Tells operations from the top down; a chat above another one is a frame. */
function tellOperations(
  tree: CallTree,
  { above, marks }: Places,
  known: Above,
  { operations, kinds }: FoundSteps,
): Pass {
  const state = tree.bytes("state");
  return (call) => {
    const own = state[call] ?? 0;
    const mark = marks[call] ?? 0;
    if ((mark & STANDS_APART) !== 0) return;
    const isNone = (own & BY_USAGE) !== 0 && (known.wraps[call] === 1 || (mark & PREDICTS) !== 0);
    const operation = isNone ? 0 : own & OPERATION;
    operations[call] = operation;
    if (operation !== CHAT || above[call] === NONE || known.scored[call] === 1) return;
    const parent = namingAbove(call, known, operations);
    if (parent !== NONE && operations[parent] === CHAT) kinds[parent] = FRAME;
  };
}

/** The nearest call above that names an operation, or is told by its usage. */
function namingAbove(call: number, { named, told, depth }: Above, operations: Uint8Array): number {
  const [one, other] = [named[call] ?? NONE, told[call] ?? NONE];
  if (other === NONE || operations[other] === 0) return one;
  return one === NONE || (depth[other] ?? 0) > (depth[one] ?? 0) ? other : one;
}

/** A tool that is told twice is left out below the first. */
function tellKinds(tree: CallTree, { above }: Places, known: Above, { operations, kinds }: FoundSteps): Pass {
  const { words: actions } = tree.halves("action");
  const isSame = (a: number, b: number) =>
    actions[a * 2] === actions[b * 2] && actions[a * 2 + 1] === actions[b * 2 + 1];
  return (call) => {
    const operation = operations[call];
    const isBelow = operation === TOOL && above[call] !== NONE;
    const parent = isBelow ? namingAbove(call, known, operations) : NONE;
    const isTwice = parent !== NONE && operations[parent] === TOOL && isSame(call, parent);
    if (operation === 0 || known.scored[call] === 1 || isTwice) kinds[call] = 0;
    else if (operation === AGENT) kinds[call] = FRAME;
    else if (kinds[call] !== FRAME) kinds[call] = STEP;
  };
}
