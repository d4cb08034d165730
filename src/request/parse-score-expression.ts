import { create, parseDependencies } from "mathjs/number";
import { bracketDepth, ExpressionFault, tokenize, TokenReader } from "./expression-tokens.ts";
import {
  leavesOf,
  scoreOperandsOf,
  SCORE_FUNCTIONS,
  type ArithmeticOperator,
  type NamedLeaf,
  type ScoreComparison,
  type ScoreExpression,
  type ScoreFunction,
} from "../model/score-expression.ts";

type Named = ScoreExpression<NamedLeaf>;
type Node<Type extends SyntaxNode["type"]> = SyntaxNode & { readonly type: Type };

const MAX_CHARACTERS = 4000;
const MAX_TOKENS = 1000;
const MAX_BRACKETS = 50;
const MAX_DEPTH = 150;

/**
 * Parses an expression with `parse` of mathjs and reads the syntax tree. Allowed are numbers, true, false, score
 * dimensions, + - * / ^ % mod, comparisons, and, or, not, a ? b : c, and {@link SCORE_FUNCTIONS}. Nothing is
 * evaluated. Throws {@link ExpressionFault}.
 *
 * Nodes of mathjs have no positions. Read from left to right, they consist of the tokens in their order, so each read
 * function takes the tokens of its node from the reader, which then has the position of any fault.
 */
export function parseScoreExpression(text: string): Named {
  if (text.length > MAX_CHARACTERS) {
    throw new ExpressionFault(`longer than ${MAX_CHARACTERS} characters`, MAX_CHARACTERS + 1);
  }
  const tokens = tokenize(text);
  const [first] = tokens;
  const surplus = tokens[MAX_TOKENS];
  if (first === undefined) throw new ExpressionFault("an empty expression", 1);
  if (surplus !== undefined) throw new ExpressionFault(`longer than ${MAX_TOKENS} tokens`, surplus.position);
  if (bracketDepth(tokens) > MAX_BRACKETS) {
    throw new ExpressionFault(`brackets nested more than ${MAX_BRACKETS} deep`, first.position);
  }
  const reader = new TokenReader(tokens, text.length + 1);
  const expression = read(syntaxTree(text), reader);
  if (!reader.atEnd) reader.refuse("is not expected here");
  if (depthOf(expression) > MAX_DEPTH) {
    throw new ExpressionFault(`operations nested more than ${MAX_DEPTH} deep`, first.position);
  }
  if (leavesOf(expression).length === 0) throw new ExpressionFault("names no score", first.position);
  return expression;
}

if (parseDependencies === undefined) throw new TypeError("mathjs has no parser");
/** Only what the parser needs of mathjs is made here, and only that is in the bundle of the package. */
const { parse } = create(parseDependencies);

function syntaxTree(text: string): SyntaxNode {
  try {
    return parse(text) as SyntaxNode;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { char } = error as SyntaxError & { readonly char?: number };
    throw new ExpressionFault(error.message.replace(/ \(char \d+\)$/, ""), char ?? 1);
  }
}

function depthOf(expression: Named): number {
  return 1 + Math.max(0, ...scoreOperandsOf(expression).map(depthOf));
}

function read(node: SyntaxNode, reader: TokenReader): Named {
  switch (node.type) {
    case "ParenthesisNode": {
      reader.take("(");
      const content = read(node.content, reader);
      reader.take(")");
      return content;
    }
    case "ConstantNode":
      return readConstant(node, reader);
    case "SymbolNode":
    case "AccessorNode": {
      const { position } = reader;
      return { kind: "leaf", leaf: { path: leafPath(node, reader, position), position } };
    }
    case "OperatorNode":
      return readOperator(node, reader);
    case "RelationalNode":
      return refuseChain(node, reader);
    case "ConditionalNode": {
      const test = read(node.condition, reader);
      reader.take("?");
      const whenTrue = read(node.trueExpr, reader);
      reader.take(":");
      return { kind: "condition", test, whenTrue, whenFalse: read(node.falseExpr, reader) };
    }
    case "FunctionNode":
      return readCall(node, reader);
    case "ArrayNode":
    case "AssignmentNode":
    case "BlockNode":
    case "FunctionAssignmentNode":
    case "IndexNode":
    case "ObjectNode":
    case "RangeNode":
      return reader.refuse(`begins ${REFUSED[node.type]}, which a derived score cannot hold`);
  }
}

function readConstant({ value }: Node<"ConstantNode">, reader: TokenReader): Named {
  if (typeof value !== "boolean" && (typeof value !== "number" || !Number.isFinite(value))) {
    return reader.refuse("is not allowed: values are numbers, true and false");
  }
  reader.take(null);
  return { kind: "constant", value };
}

/** Reads `judge.score`, `judge["my key"]`, or `scores["my judge"].score` for a scorer key that is no plain name. */
function leafPath(node: SyntaxNode, reader: TokenReader, start: number): readonly string[] {
  const path = memberNames(node, reader);
  if (path[0] !== "scores") return path;
  if (path.length === 1) throw new ExpressionFault(`"scores" names no score: write scores["a key"]`, start);
  return path.slice(1);
}

function memberNames(node: SyntaxNode, reader: TokenReader): readonly string[] {
  if (node.type === "SymbolNode") {
    reader.take(node.name);
    return [node.name];
  }
  if (node.type !== "AccessorNode") return reader.refuse("is no score dimension, and has no members");
  const path = memberNames(node.object, reader);
  const [dimension, ...others] = node.index.dimensions;
  if (node.optionalChaining) return reader.refuse("is not allowed: write a dot");
  const { dotNotation } = node.index;
  reader.take(dotNotation ? "." : "[");
  if (others.length > 0 || dimension?.type !== "ConstantNode" || typeof dimension.value !== "string") {
    return reader.refuse(`is no member: write its name in quotes, as in judge["my key"]`);
  }
  reader.take(null);
  if (!dotNotation) reader.take("]");
  return [...path, dimension.value];
}

const ARITHMETIC: readonly (readonly [string, ArithmeticOperator])[] = [
  ["add", "add"],
  ["subtract", "subtract"],
  ["multiply", "multiply"],
  ["divide", "divide"],
  ["pow", "power"],
  ["mod", "modulo"],
];

const COMPARISONS: readonly (readonly [string, ScoreComparison])[] = [
  ["equal", "eq"],
  ["unequal", "ne"],
  ["larger", "gt"],
  ["largerEq", "gte"],
  ["smaller", "lt"],
  ["smallerEq", "lte"],
];

/** Makes the operations of two operands, by the names that mathjs has for the operators. */
const BINARY: ReadonlyMap<string, (left: Named, right: Named) => Named> = new Map([
  ...ARITHMETIC.map(
    ([name, operator]) =>
      [name, (left: Named, right: Named): Named => ({ kind: "arithmetic", operator, left, right })] as const,
  ),
  ...COMPARISONS.map(
    ([name, comparison]) =>
      [name, (left: Named, right: Named): Named => ({ kind: "compare", comparison, left, right })] as const,
  ),
  ["and", (left: Named, right: Named): Named => ({ kind: "and", left, right })] as const,
  ["or", (left: Named, right: Named): Named => ({ kind: "or", left, right })] as const,
]);

function readOperator(node: Node<"OperatorNode">, reader: TokenReader): Named {
  const [first, second] = node.args;
  if (first === undefined) return reader.refuse("is not allowed here");
  if (node.isPercentage) {
    read(first, reader);
    return reader.refuse("makes a percentage here: divide by 100");
  }
  if (second === undefined) return readUnary(node, first, reader);
  const left = read(first, reader);
  if (node.implicit) return reader.refuse("needs an operator before it, such as *");
  const combine = BINARY.get(node.fn);
  if (combine === undefined) {
    return reader.refuse("is no operator of a derived score: + - * / ^ % == != < <= > >= and or not ? :");
  }
  reader.take(node.op);
  return combine(left, read(second, reader));
}

function readUnary(node: Node<"OperatorNode">, operand: SyntaxNode, reader: TokenReader): Named {
  const { fn } = node;
  if (fn !== "unaryMinus" && fn !== "unaryPlus" && fn !== "not") {
    if (fn !== "bitNot") read(operand, reader);
    return reader.refuse("is no operator of a derived score");
  }
  reader.take(node.op);
  const inside = read(operand, reader);
  return fn === "not"
    ? { kind: "not", operand: inside }
    : { kind: "signed", negative: fn === "unaryMinus", operand: inside };
}

/** Refuses `a < b < c` at its second comparison. */
function refuseChain({ params }: Node<"RelationalNode">, reader: TokenReader): never {
  for (const [i, param] of params.slice(0, 2).entries()) {
    if (i > 0) reader.take(null);
    read(param, reader);
  }
  return reader.refuse("cannot follow a comparison: write a < b and b < c");
}

function readCall({ fn, args }: Node<"FunctionNode">, reader: TokenReader): Named {
  const name = SCORE_FUNCTIONS.find((one) => fn.type === "SymbolNode" && fn.name === one);
  if (name === undefined) {
    return reader.refuse(`is no function of a derived score: there are ${SCORE_FUNCTIONS.join(", ")}`);
  }
  checkCount(name, args.length, reader);
  reader.take(name);
  reader.take("(");
  const operands = args.map((arg, i) => {
    if (i > 0) reader.take(",");
    return read(arg, reader);
  });
  reader.take(")");
  return { kind: "call", name, args: operands };
}

function checkCount(name: ScoreFunction, count: number, reader: TokenReader): void {
  const several = name === "min" || name === "max";
  if (several ? count === 0 : count !== 1) {
    reader.refuse(`takes ${several ? "at least one argument" : `one argument, not ${count}`}`);
  }
}

/** The nodes that `parse` of mathjs returns, with the members that are used here. */
type SyntaxNode =
  | { readonly type: "ParenthesisNode"; readonly content: SyntaxNode }
  | { readonly type: "ConstantNode"; readonly value: unknown }
  | { readonly type: "SymbolNode"; readonly name: string }
  | {
      readonly type: "AccessorNode";
      readonly object: SyntaxNode;
      readonly index: { readonly dimensions: readonly SyntaxNode[]; readonly dotNotation: boolean };
      readonly optionalChaining: boolean;
    }
  | {
      readonly type: "OperatorNode";
      readonly op: string;
      readonly fn: string;
      readonly args: readonly SyntaxNode[];
      /** True for a multiplication without a sign, as in `2 a`. */
      readonly implicit: boolean;
      readonly isPercentage: boolean;
    }
  | {
      readonly type: "ConditionalNode";
      readonly condition: SyntaxNode;
      readonly trueExpr: SyntaxNode;
      readonly falseExpr: SyntaxNode;
    }
  | { readonly type: "RelationalNode"; readonly params: readonly SyntaxNode[] }
  | { readonly type: "FunctionNode"; readonly fn: SyntaxNode; readonly args: readonly SyntaxNode[] }
  | { readonly type: keyof typeof REFUSED };

/** Names, for messages, of the nodes that a derived score cannot contain. */
const REFUSED = {
  ArrayNode: "a matrix",
  AssignmentNode: "an assignment",
  BlockNode: "several expressions",
  FunctionAssignmentNode: "a function definition",
  IndexNode: "an index",
  ObjectNode: "an object",
  RangeNode: "a range",
} as const;
