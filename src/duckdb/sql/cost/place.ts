import type { Tree, TreeNode } from "../syntax/tree.ts";
import type { Size } from "./arguments.ts";
import type { Rule } from "./calls.ts";
import { LIMITS, STORED_BYTES } from "./limits.ts";
import { atMost, type Constant, type Meter } from "./meter.ts";

/** The records that a query or one of its sources delivers. */
export interface Relation {
  /** The largest column, since the column that an expression reads is not resolved. */
  readonly column: Size;
  /** Bytes of one record without stored values; DuckDB copies them wherever records are put together. */
  readonly row: number;
  readonly columns: number;
  /** Number of tables that are read for it. */
  readonly tables: number;
}

/** State that the whole statement shares. */
export interface Costs {
  readonly meter: Meter;
  readonly rules: ReadonlyMap<string, Rule>;
  /** Returns the value of a parameter. */
  readonly parameter: (identifier: string) => Constant | undefined;
  /** Measures an expression in its context. */
  readonly expression: (costs: Costs, tree: TreeNode, place: Place) => Size;
  /** Measures a query in its context. */
  readonly query: (costs: Costs, query: Tree | undefined, place: Place) => Relation;
}

/** The context of an expression or a query. */
export interface Place {
  /** The columns that it can read, including those of the surrounding queries. */
  readonly from: Relation;
  /** Items of the select list by their names in lower case, which later expressions may read as columns. */
  readonly aliases: ReadonlyMap<string, Size>;
  /** Common table expressions by their names in lower case. */
  readonly tables: ReadonlyMap<string, Relation>;
  /** Number of surrounding expressions. */
  readonly depth: number;
  /** Number of surrounding scalar subqueries and lambdas. */
  readonly subqueries: number;
  readonly queries: number;
}

export const NOTHING: Relation = {
  column: { bytes: 0, element: null, terms: 0 },
  row: 0,
  columns: 0,
  tables: 0,
};

/** A view as a source, with the columns of the widest view. */
export const VIEW: Relation = {
  column: { bytes: STORED_BYTES, element: null, terms: 1 },
  row: 0,
  columns: 13,
  tables: 1,
};

export function beside(a: Relation, b: Relation): Relation {
  return {
    column: larger(a.column, b.column),
    row: a.row + b.row,
    columns: a.columns + b.columns,
    tables: a.tables + b.tables,
  };
}

export function larger(a: Size, b: Size): Size {
  const element = a.element === null || b.element === null ? null : Math.max(a.element, b.element);
  return { bytes: Math.max(a.bytes, b.bytes), element, terms: Math.max(a.terms, b.terms) };
}

/** The context inside a subquery or a lambda. */
export function inner(place: Place, position: number | null): Place {
  const subqueries = place.subqueries + 1;
  atMost(LIMITS.subqueries, subqueries, "levels of nested subqueries and lambdas", position);
  return { ...place, subqueries };
}
