import * as math from "mathjs";
import type { MathNode } from "mathjs";

/** A value of an expression: null where it is missing. */
export type OracleValue = number | boolean | null;

/** A number or boolean, null where mathjs gives anything else: a complex number, NaN, an infinity. */
function real(value: unknown): OracleValue {
  if (typeof value === "boolean") return value;
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/**
 * Evaluates operation by operation with mathjs itself: nothing but what mathjs's own functions say of present
 * operands, and nothing at all of missing ones.
 */
export function evaluateExpression(
  text: string,
  read: (path: readonly string[]) => OracleValue,
): OracleValue {
  return evaluate(math.parse(text), read);
}

const OPERATIONS: Readonly<Record<string, unknown>> = math;

type Read = (path: readonly string[]) => OracleValue;

function evaluate(node: MathNode, read: Read): OracleValue {
  if (math.isParenthesisNode(node)) return evaluate(node.content, read);
  if (math.isConstantNode(node)) return real(node.value);
  if (math.isSymbolNode(node) || math.isAccessorNode(node)) return read(pathOf(node));
  if (math.isConditionalNode(node)) {
    const test = evaluate(node.condition, read);
    if (test === null) return null;
    return evaluate(test ? node.trueExpr : node.falseExpr, read);
  }
  if (!math.isOperatorNode(node) && !math.isFunctionNode(node)) throw new Error(`no oracle for ${node.type}`);
  const name = math.isOperatorNode(node) ? node.fn : node.fn.name;
  const args = node.args.map((arg) => evaluate(arg, read));
  if (args.includes(null)) return null;
  const operation = OPERATIONS[name];
  if (typeof operation !== "function") throw new Error(`no oracle for ${name}`);
  return real(operation(...args));
}

function pathOf(node: MathNode): readonly string[] {
  if (math.isSymbolNode(node)) return [node.name];
  if (!math.isAccessorNode(node)) throw new Error(`no path in ${node.type}`);
  const [member] = node.index.dimensions;
  const name = member !== undefined && math.isConstantNode(member) ? String(member.value) : "";
  const path = pathOf(node.object);
  return path[0] === "scores" && path.length === 1 ? [name] : [...path, name];
}
