import { isValid } from "../../arrow/bits.ts";
import {
  compileAnyStep,
  compileCallTree,
  TREE_COLUMNS,
  type TreeColumn,
  type WalkScope,
} from "../../compile/walk/call-tree.ts";
import type { ColumnValues } from "../../store/columns.ts";
import type { Session } from "../../store/session.ts";
import { statement, type Sql } from "../../store/sql.ts";
import { Words } from "./words.ts";

/** Values of 64 bits, as they lie in memory. */
export interface Halves {
  /** The lower half of each at an even place, the upper one behind it. */
  readonly words: Int32Array;
  readonly longs: BigInt64Array;
}

/** Calls below trials, column by column. */
export interface CallTree {
  readonly length: number;
  readonly has: (column: TreeColumn) => boolean;
  readonly halves: (column: TreeColumn) => Halves;
  readonly numbers: (column: TreeColumn) => Float64Array;
  /** The number of the word of each call, -1 for none. */
  readonly words: (column: TreeColumn) => Words;
}

/** Levels below trials that are read at once; where there are more, all calls of the project are read. */
const LEVELS = [4, 16, null];

/** Whether any call that is stored may be a step; that is far less to read than the calls below trials. */
export async function mayHaveSteps(session: Session): Promise<boolean> {
  return (await session.all(compileAnyStep())).length > 0;
}

/** Reads these columns of what is below the trials of a scope; nothing where no call is a step. */
export async function readCallTree(
  session: Session,
  scope: WalkScope,
  columns: readonly TreeColumn[],
): Promise<CallTree> {
  if (!(await mayHaveSteps(session))) return createTree(columns).tree(0);
  for (const levels of LEVELS) {
    const tree = await gather(session, compileCallTree(scope, columns, levels), columns);
    if (levels === null || !tree.numbers("level").includes(levels)) return tree;
  }
  throw new Error("the last levels are all");
}

const VALUE_BYTES = 8;

async function gather(session: Session, query: Sql, columns: readonly TreeColumn[]): Promise<CallTree> {
  const { add, tree } = createTree(columns);
  let length = 0;
  const { batches } = await session.vectors(statement(query, session.dialect));
  for await (const batch of batches) {
    for (const [i, values] of batch.columns.entries()) {
      await session.turns.take();
      add(i, values, batch.length);
    }
    length += batch.length;
  }
  return tree(length);
}

/** A tree to which values of its columns are added, by their place. */
function createTree(columns: readonly TreeColumn[]) {
  const parts = columns.map((): Uint8Array[] => []);
  const words = columns.map((name) => (TREE_COLUMNS[name][0] === "text" ? new Words() : null));
  const add = (i: number, values: ColumnValues, length: number): void => {
    const own = words[i] ?? null;
    if (own !== null) addWords(own, values, length);
    else if (values.bytes !== null) parts[i]?.push(values.bytes.subarray(0, length * VALUE_BYTES));
  };
  const tree = (length: number): CallTree => {
    // Each column is put together when it is first asked for: all at once would hold the event loop.
    const views = new Map<TreeColumn, ReturnType<typeof viewOf>>();
    const view = (name: TreeColumn) => {
      const known = views.get(name);
      if (known !== undefined) return known;
      const i = columns.indexOf(name);
      if (i === -1) throw new TypeError(`${name} was not asked for`);
      const made = viewOf(parts[i]?.splice(0) ?? [], words[i] ?? null);
      views.set(name, made);
      return made;
    };
    return {
      length,
      has: (column) => columns.includes(column),
      halves: (column) => view(column).halves,
      numbers: (column) => view(column).numbers,
      words: (column) => {
        const { words: own } = view(column);
        if (own === null) throw new TypeError(`${column} is no text`);
        return own;
      },
    };
  };
  return { add, tree };
}

/** The values of a column in one piece of memory. */
function viewOf(parts: readonly Uint8Array[], words: Words | null) {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  const { buffer } = bytes;
  const halves = { words: new Int32Array(buffer), longs: new BigInt64Array(buffer) };
  return { numbers: new Float64Array(buffer), halves, words };
}

function addWords(words: Words, { bytes, offsets, validity }: ColumnValues, length: number): void {
  for (let i = 0; i < length; i++)
    words.add(isValid(validity, i) ? bytes : null, offsets?.[i] ?? 0, offsets?.[i + 1] ?? 0);
}
