import { z } from "zod";
import type { InputPath } from "../errors.ts";
import { meaningless } from "./meaningless.ts";

/** The wire format of the operators of a filter, over operands of type `Operand`. */
export interface Wire<Operand> {
  $and: Operand[];
  $or: Operand[];
  $not: Operand | [Operand];
  $eq: [Operand, Operand];
  $gt: [Operand, Operand];
  $gte: [Operand, Operand];
  $lt: [Operand, Operand];
  $lte: [Operand, Operand];
  $in: [Operand, Operand[]];
  $contains: { input: Operand; substr: Operand; case_insensitive?: boolean | null | undefined };
  $regex: { input: Operand; pattern: { $literal: string }; case_insensitive?: boolean | null | undefined };
}

export type Operator = keyof Wire<unknown>;

/** The wire format of an operation: an object with one operator. */
type WireOperation<Operand> = {
  [Name in Operator]: { [Only in Name]: Wire<Operand>[Only] };
}[Operator];

/** A parsed operation: its operands and its settings. */
interface Parts<Operands, Settings = null> {
  readonly operands: Operands;
  readonly settings: Settings;
}

/** A regular expression and its location in the request. */
export interface PatternText {
  readonly pattern: string;
  readonly caseInsensitive: boolean;
  readonly loc: InputPath;
}

type List<Operand> = Parts<readonly Operand[]>;
type Pair<Operand> = Parts<readonly [Operand, Operand]>;

interface Parsed<Operand> {
  $and: List<Operand>;
  $or: List<Operand>;
  $not: Parts<readonly [Operand]>;
  $eq: Pair<Operand>;
  $gt: Pair<Operand>;
  $gte: Pair<Operand>;
  $lt: Pair<Operand>;
  $lte: Pair<Operand>;
  /** The tested operand, then the options. */
  $in: Parts<readonly [Operand, ...Operand[]]>;
  /** The text to search, then the text to find. */
  $contains: Parts<readonly [Operand, Operand], { readonly caseInsensitive: boolean }>;
  $regex: Parts<readonly [Operand], PatternText>;
}

export interface ParsedOperation<Operand, Name extends Operator> {
  readonly kind: Name;
  readonly operands: Parsed<Operand>[Name]["operands"];
  readonly settings: Parsed<Operand>[Name]["settings"];
}

/** Reads the operands of an operation at `loc`. */
interface OperandReader<From, To> {
  readonly loc: InputPath;
  /** `place` is the location of the operand below `loc`. */
  readonly read: (operand: From, ...place: InputPath) => To;
}

interface OperatorRule<Name extends Operator> {
  readonly schema: <Operand>(operand: z.ZodType<Operand>) => z.ZodType<Wire<Operand>[Name]>;
  readonly parse: <From, To>(given: Wire<From>[Name], reader: OperandReader<From, To>) => Parsed<To>[Name];
}

const list = {
  schema: <Operand>(operand: z.ZodType<Operand>) => z.array(operand),
  parse: <From, To>(given: From[], { loc, read }: OperandReader<From, To>): List<To> => {
    if (given.length === 0) throw meaningless(loc, "needs at least one operand");
    return { operands: given.map((operand, i) => read(operand, i)), settings: null };
  },
};

const pair = {
  schema: <Operand>(operand: z.ZodType<Operand>) => z.tuple([operand, operand]),
  parse: <From, To>([left, right]: [From, From], { read }: OperandReader<From, To>): Pair<To> => ({
    operands: [read(left, 0), read(right, 1)],
    settings: null,
  }),
};

/** The rules of the operators, in the order in which messages and the description of the service list them. */
const OPERATORS: { readonly [Name in Operator]: OperatorRule<Name> } = {
  $and: list,
  $or: list,
  $not: {
    schema: (operand) => z.union([z.tuple([operand]), operand]),
    parse: (given, { read }) => ({
      operands: [Array.isArray(given) ? read(given[0], 0) : read(given)],
      settings: null,
    }),
  },
  $eq: pair,
  $gt: pair,
  $gte: pair,
  $lt: pair,
  $lte: pair,
  $in: {
    schema: (operand) => z.tuple([operand, z.array(operand)]),
    parse: ([tested, options], { read }) => ({
      operands: [read(tested, 0), ...options.map((option, i) => read(option, 1, i))],
      settings: null,
    }),
  },
  $contains: {
    schema: (operand) =>
      z.strictObject({ input: operand, substr: operand, case_insensitive: z.boolean().nullish() }),
    parse: ({ input, substr, case_insensitive }, { read }) => ({
      operands: [read(input, "input"), read(substr, "substr")],
      settings: { caseInsensitive: case_insensitive ?? false },
    }),
  },
  $regex: {
    schema: (operand) =>
      z.strictObject({
        input: operand,
        pattern: z.strictObject({ $literal: pattern }),
        case_insensitive: z.boolean().nullish(),
      }),
    parse: ({ input, pattern: { $literal }, case_insensitive }, { loc, read }) => ({
      operands: [read(input, "input")],
      settings: {
        pattern: $literal,
        caseInsensitive: case_insensitive ?? false,
        loc: [...loc, "pattern", "$literal"],
      },
    }),
  },
};

export const OPERATOR_NAMES = Object.keys(OPERATORS) as readonly Operator[];

/** The schemas of all operations on operands of this schema, by operator. */
export function operationSchemas<Operand>(
  operand: z.ZodType<Operand>,
): Record<string, z.ZodType<WireOperation<Operand>>> {
  return Object.fromEntries(OPERATOR_NAMES.map((name) => [name, operationSchema(name, operand)]));
}

function operationSchema<Name extends Operator, Operand>(
  name: Name,
  operand: z.ZodType<Operand>,
): z.ZodType<Pick<Wire<Operand>, Name>> {
  // TypeScript takes a computed name for any name.
  const schema: z.ZodType = z.strictObject({ [name]: OPERATORS[name].schema(operand) });
  return schema as z.ZodType<Pick<Wire<Operand>, Name>>;
}

type AnyParsed<Operand> = { [Name in Operator]: ParsedOperation<Operand, Name> }[Operator];

export function parseOperation<From, To>(
  operation: WireOperation<From>,
  loc: InputPath,
  read: (operand: From, loc: InputPath) => To,
): AnyParsed<To> {
  const [name] = Object.keys(operation) as [Operator];
  return parseAs(name, operation as Wire<From>, [...loc, name], read) as AnyParsed<To>;
}

function parseAs<Name extends Operator, From, To>(
  name: Name,
  given: Pick<Wire<From>, Name>,
  loc: InputPath,
  read: (operand: From, loc: InputPath) => To,
): ParsedOperation<To, Name> {
  const reader = { loc, read: (operand: From, ...place: InputPath) => read(operand, [...loc, ...place]) };
  const { operands, settings } = OPERATORS[name].parse(given[name], reader);
  return { kind: name, operands, settings };
}

/** The most characters of a pattern, both as sent and with its counted repeats written out. */
const MAX_CHARACTERS = 1000;

/** A class of Unicode properties counts as this many characters more: it becomes some hundred ranges of bytes. */
const PROPERTY_CHARACTERS = 50;
/**
 * A wildcard or class counts as this many characters: matching takes time in proportion to how many of them may be in
 * the middle of a match, for each byte of the text, and cannot be interrupted within a chunk of records. 200 of them
 * took 1.2 s for 450 kB (two cores, 2026-11-22).
 */
const CLASS_CHARACTERS = 5;

const TOKEN =
  /\\Q[^]*?(?:\\E|$)|\\x\{[^}]*\}|\\[pP](?:\{[^}]*\}|[^])|\\[^]|\[\^?\]?(?:\[:\^?\w+:\]|\\[^]|[^\]\\]){0,1000}\]|\{(\d+)(?:,(\d*))?\}|[^]/gu;

/** A regular expression in the syntax of RE2. Only its size is checked here; `checkPatterns` has DuckDB compile it. */
export const pattern = z
  .string()
  .max(MAX_CHARACTERS)
  .refine((text) => text.length > MAX_CHARACTERS || writtenOut(text) <= MAX_CHARACTERS, {
    message: `is too large: once repeats are written out (a{3} as aaa), a pattern may have at most ${MAX_CHARACTERS} characters, where a wildcard or class counts as ${CLASS_CHARACTERS} and each \\p as ${PROPERTY_CHARACTERS} more`,
  });

function sizeOf(token: string): number {
  const properties = token.match(/\\[pP]/g)?.length ?? 0;
  const isClass = /^(?:\.|\[[^]+\]|\\[dDsSwWpPC])/u.test(token);
  return (
    (isClass ? Math.max(CLASS_CHARACTERS, token.length) : token.length) + PROPERTY_CHARACTERS * properties
  );
}

/** No less than the characters of the pattern with counted repeats written out; RE2's program grows with them. */
function writtenOut(text: string): number {
  const outer: number[] = [];
  let size = 0;
  let last = 0;
  for (const { 0: token, 1: least, 2: most } of text.matchAll(TOKEN)) {
    if (token === "(") {
      outer.push(size);
      size = 0;
      last = 1;
    } else if (least !== undefined) {
      size += last * (Math.max(1, Number(least), Number(most ?? 0)) - 1);
      last = 0;
      continue;
    } else if (token === ")") {
      last = size + 1;
      size = outer.pop() ?? 0;
    } else {
      last = sizeOf(token);
    }
    size += last;
  }
  return outer.reduce((sum, one) => sum + one, size);
}
