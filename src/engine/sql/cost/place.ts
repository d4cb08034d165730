import type { Tree, TreeNode } from "../syntax/tree.ts";
import type { Size } from "./arguments.ts";
import type { Rule } from "./calls.ts";
import { LIMITS, STORED_BYTES } from "./limits.ts";
import { atMost, type Constant, type Meter } from "./meter.ts";

/** The records that a query, or something that it reads, delivers. */
export interface Relation {
  /** The largest column: which one an expression reads is not resolved. */
  readonly column: Size;
  /** Bytes of one record without what is stored: DuckDB copies them wherever records are put together. */
  readonly row: number;
  readonly columns: number;
  /** Tables that are read for it. */
  readonly tables: number;
}

/** What is the same in all of a statement. */
export interface Costs {
  readonly meter: Meter;
  readonly rules: ReadonlyMap<string, Rule>;
  /** The value of a parameter. */
  readonly parameter: (identifier: string) => Constant | undefined;
  /** Measures an expression at a place. */
  readonly expression: (costs: Costs, tree: TreeNode, place: Place) => Size;
  /** Measures a query at a place. */
  readonly query: (costs: Costs, query: Tree | undefined, place: Place) => Relation;
}

/** Where an expression or a query stands. */
export interface Place {
  /** What it can read columns from, the queries around it included. */
  readonly from: Relation;
  /** Items of the select list by their names in lower case: later expressions may read them as columns. */
  readonly aliases: ReadonlyMap<string, Size>;
  /** Common table expressions by their names in lower case. */
  readonly tables: ReadonlyMap<string, Relation>;
  /** Expressions around it. */
  readonly depth: number;
  /** Scalar subqueries and lambdas around it. */
  readonly subqueries: number;
  readonly queries: number;
}

export const NOTHING: Relation = {
  column: { bytes: 0, element: null, terms: 0 },
  row: 0,
  columns: 0,
  tables: 0,
};

/** A view has no more columns than that. */
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

/** The place inside a subquery or a lambda. */
export function inner(place: Place, position: number | null): Place {
  const subqueries = place.subqueries + 1;
  atMost(LIMITS.subqueries, subqueries, "levels of nested subqueries and lambdas", position);
  return { ...place, subqueries };
}
