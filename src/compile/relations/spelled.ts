import { spelled, type Dialect, type Sql } from "../../store/sql.ts";

/* What databases spell differently, as SQL: each is the member of `Dialect` of its name. */

function spelling<Given extends readonly unknown[]>(member: (dialect: Dialect) => (...given: Given) => Sql) {
  return (...given: Given): Sql => spelled((dialect) => member(dialect)(...given));
}

export const roundToInteger = spelling((dialect) => dialect.roundToInteger);
export const wideSum = spelling((dialect) => dialect.wideSum);
export const wide = spelling((dialect) => dialect.wide);
export const divideIntegers = spelling((dialect) => dialect.divideIntegers);
export const exactSum = spelling((dialect) => dialect.exactSum);
export const highBits = spelling((dialect) => dialect.highBits);
export const lowBits = spelling((dialect) => dialect.lowBits);
export const bind = spelling((dialect) => dialect.bind);
export const record = spelling((dialect) => dialect.record);
export const relationOf = spelling((dialect) => dialect.relationOf);
export const columnsOf = spelling((dialect) => dialect.columnsOf);
export const amongKeys = spelling((dialect) => dialect.amongKeys);
export const MANY_TRIALS = spelled((dialect) => dialect.manyTrials);
export const isStub = spelling((dialect) => dialect.isStub);
export const textKey = spelling((dialect) => dialect.textKey);
export const isOutput = spelling((dialect) => dialect.isOutput);
export const textBytes = spelling((dialect) => dialect.textBytes);
export const textsOf = spelling((dialect) => dialect.textsOf);
export const trialsWith = spelling((dialect) => dialect.trialsWith);
export const documentsWith = spelling((dialect) => dialect.documentsWith);
export const readingsOf = spelling((dialect) => dialect.readingsOf);
export const LONG_TEXTS = spelled((dialect) => dialect.longTexts);
export const ofFew = spelling((dialect) => dialect.ofFew);
export const TRIAL_TOKENS = spelled((dialect) => dialect.trialTokens);
export const callHash = spelling((dialect) => dialect.callHash);
export const CALL_TREE = spelled((dialect) => dialect.callTree);
export const NO_ROW_KEY = spelled((dialect) => dialect.noRowKey);
export const SELECTED = spelled((dialect) => dialect.selected);
export const countEvaluations = spelling((dialect) => dialect.countEvaluations);
export const filtered = spelling((dialect) => dialect.filtered);
export const firstBy = spelling((dialect) => dialect.firstBy);
export const lastBy = spelling((dialect) => dialect.lastBy);
export const onlyMember = spelling((dialect) => dialect.onlyMember);
export const every = spelling((dialect) => dialect.every);
export const some = spelling((dialect) => dialect.some);
export const small = spelling((dialect) => dialect.small);
export const jsonColumns = spelling((dialect) => dialect.jsonColumns);
export const jsonAt = spelling((dialect) => dialect.jsonAt);
export const jsonText = spelling((dialect) => dialect.jsonText);
export const amountAt = spelling((dialect) => dialect.amountAt);
export const memberNames = spelling((dialect) => dialect.memberNames);
export const memberNamed = spelling((dialect) => dialect.memberNamed);
export const recordAt = spelling((dialect) => dialect.recordAt);
export const itemsOf = spelling((dialect) => dialect.itemsOf);
export const recordTextAt = spelling((dialect) => dialect.recordTextAt);
export const modelOutputAt = spelling((dialect) => dialect.modelOutputAt);
export const MODEL_OUTPUT = spelled((dialect) => dialect.modelOutputText);
export const hasScores = spelling((dialect) => dialect.hasScores);
export const holds = spelling((dialect) => dialect.holds);
export const matches = spelling((dialect) => dialect.matches);
export const exists = spelling((dialect) => dialect.exists);
export const nothing = spelling((dialect) => dialect.nothing);
export const named = spelling((dialect) => dialect.named);
export const recordsOf = spelling((dialect) => dialect.recordsOf);
export const placed = spelling((dialect) => dialect.placed);
export const unnested = spelling((dialect) => dialect.unnested);
export const allBut = spelling((dialect) => dialect.allBut);
export const bitsOf = spelling((dialect) => dialect.bitsOf);
export const joinedTexts = spelling((dialect) => dialect.joinedTexts);
export const INLINED = spelled((dialect) => dialect.inlined);
export const STORED_ORDER = spelled((dialect) => dialect.storedOrder);
export const median = spelling((dialect) => dialect.median);
export const replaced = spelling((dialect) => dialect.replaced);
export const beginning = spelling((dialect) => dialect.beginning);
export const integerOrNull = spelling((dialect) => dialect.integerOrNull);
export const binned = spelling((dialect) => dialect.binned);
export const doublesOf = spelling((dialect) => dialect.doublesOf);

/** What the summary of a record that was sent says by model. */
export function summaryOf(one: Sql, what: "usage" | "costs" | "weave/costs"): Sql {
  return recordAt(one, `/summary/${what}`);
}
