import type { Key } from "../../model/digest.ts";
import { spelled, type Page, type Sql, type SqlType } from "../../store/sql.ts";

/* What databases spell differently, as SQL: each function is the member of `Dialect` of its name. */

export function roundToInteger(number: Sql): Sql {
  return spelled((dialect) => dialect.roundToInteger(number));
}

export function wideSum(integer: Sql): Sql {
  return spelled((dialect) => dialect.wideSum(integer));
}

export function wide(integer: Sql): Sql {
  return spelled((dialect) => dialect.wide(integer));
}

export function divideIntegers(dividend: Sql, divisor: Sql): Sql {
  return spelled((dialect) => dialect.divideIntegers(dividend, divisor));
}

export function exactSum(number: Sql): Sql {
  return spelled((dialect) => dialect.exactSum(number));
}

export function highBits(integer: Sql, bits: number): Sql {
  return spelled((dialect) => dialect.highBits(integer, bits));
}

export function lowBits(integer: Sql, bits: number): Sql {
  return spelled((dialect) => dialect.lowBits(integer, bits));
}

export function bind(value: Sql, name: Sql, body: Sql): Sql {
  return spelled((dialect) => dialect.bind(value, name, body));
}

export function record(members: readonly { readonly name: Sql; readonly value: Sql }[]): Sql {
  return spelled((dialect) => dialect.record(members));
}

export function relationOf(name: Sql, columns: readonly Sql[], records: readonly (readonly Sql[])[]): Sql {
  return spelled((dialect) => dialect.relationOf(name, columns, records));
}

export function columnsOf(relation: Sql, columns: readonly Sql[]): Sql {
  return spelled((dialect) => dialect.columnsOf(relation, columns));
}

export function amongKeys(column: Sql, keys: readonly Key[]): Sql {
  return spelled((dialect) => dialect.amongKeys(column, keys));
}

export const MANY_TRIALS = spelled((dialect) => dialect.manyTrials);

export function ofFew(table: Sql, condition: Sql, most: number): Sql {
  return spelled((dialect) => dialect.ofFew(table, condition, most));
}

export const NO_ROW_KEY = spelled((dialect) => dialect.noRowKey);

export const SELECTED = spelled((dialect) => dialect.selected);

export function countEvaluations(keys: readonly number[], column: Sql): Sql {
  return spelled((dialect) => dialect.countEvaluations(keys, column));
}

export function filtered(aggregate: Sql, condition: Sql): Sql {
  return spelled((dialect) => dialect.filtered(aggregate, condition));
}

export function firstBy(value: Sql, order: Sql, condition: Sql | null = null): Sql {
  return spelled((dialect) => dialect.firstBy(value, order, condition));
}

export function lastBy(value: Sql, order: Sql): Sql {
  return spelled((dialect) => dialect.lastBy(value, order));
}

export function onlyMember(document: Sql, name: string): Sql {
  return spelled((dialect) => dialect.onlyMember(document, name));
}

export function every(condition: Sql): Sql {
  return spelled((dialect) => dialect.every(condition));
}

export function some(condition: Sql): Sql {
  return spelled((dialect) => dialect.some(condition));
}

export function small(integer: Sql): Sql {
  return spelled((dialect) => dialect.small(integer));
}

export function jsonColumns(column: (suffix: Sql) => Sql): Sql {
  return spelled((dialect) => dialect.jsonColumns(column));
}

export function jsonAt(document: Sql, pointer: string): Sql {
  return spelled((dialect) => dialect.jsonAt(document, pointer));
}

export function amountAt(document: Sql, pointer: string): Sql {
  return spelled((dialect) => dialect.amountAt(document, pointer));
}

export function memberNames(documents: readonly Sql[]): Sql {
  return spelled((dialect) => dialect.memberNames(documents));
}

export function memberNamed(document: Sql, name: Sql): Sql {
  return spelled((dialect) => dialect.memberNamed(document, name));
}

/** What the summary of a record that was sent says by model. */
export function summaryOf(one: Sql, what: "usage" | "costs" | "weave/costs"): Sql {
  return recordAt(one, `/summary/${what}`);
}

export function recordAt(one: Sql, pointer: string): Sql {
  return spelled((dialect) => dialect.recordAt(one, pointer));
}

export function itemsOf(json: Sql): Sql {
  return spelled((dialect) => dialect.itemsOf(json));
}

export function recordTextAt(one: Sql, pointer: string): Sql {
  return spelled((dialect) => dialect.recordTextAt(one, pointer));
}

export function modelOutputAt(output: Sql, pointer: string): Sql {
  return spelled((dialect) => dialect.modelOutputAt(output, pointer));
}

export const MODEL_OUTPUT = spelled((dialect) => dialect.modelOutputText);

export function hasScores(output: Sql): Sql {
  return spelled((dialect) => dialect.hasScores(output));
}

export function matches(value: Sql, pattern: Sql, caseInsensitive: boolean): Sql {
  return spelled((dialect) => dialect.matches(value, pattern, caseInsensitive));
}

export function exists(from: Sql): Sql {
  return spelled((dialect) => dialect.exists(from));
}

export function nothing(type: SqlType | "HUGEINT"): Sql {
  return spelled((dialect) => dialect.nothing(type));
}

export function named(column: Sql, name: Sql): Sql {
  return spelled((dialect) => dialect.named(column, name));
}

export function recordsOf(from: Sql): Sql {
  return spelled((dialect) => dialect.recordsOf(from));
}

export function placed(page: Page): Sql {
  return spelled((dialect) => dialect.placed(page));
}

export function unnested(list: Sql): Sql {
  return spelled((dialect) => dialect.unnested(list));
}

export function allBut(column: Sql): Sql {
  return spelled((dialect) => dialect.allBut(column));
}

export function bitsOf(position: Sql): Sql {
  return spelled((dialect) => dialect.bitsOf(position));
}

export function joinedTexts(value: Sql, order: Sql): Sql {
  return spelled((dialect) => dialect.joinedTexts(value, order));
}

export const INLINED = spelled((dialect) => dialect.inlined);

export const STORED_ORDER = spelled((dialect) => dialect.storedOrder);

export function median(number: Sql): Sql {
  return spelled((dialect) => dialect.median(number));
}

export function replaced(value: Sql, pattern: Sql, by: Sql): Sql {
  return spelled((dialect) => dialect.replaced(value, pattern, by));
}

export function beginning(value: Sql, characters: number): Sql {
  return spelled((dialect) => dialect.beginning(value, characters));
}

export function integerOrNull(number: Sql): Sql {
  return spelled((dialect) => dialect.integerOrNull(number));
}

export function binned(number: Sql, edges: Sql): Sql {
  return spelled((dialect) => dialect.binned(number, edges));
}

export function doublesOf(column: Sql, lists: ReadonlyMap<number, string>): Sql {
  return spelled((dialect) => dialect.doublesOf(column, lists));
}
