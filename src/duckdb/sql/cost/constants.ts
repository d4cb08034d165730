import { WrittenNumber } from "../syntax/written-json.ts";
import { lower, objectAt, objectsAt, text, type TreeNode } from "../syntax/tree.ts";
import type { Constant } from "./meter.ts";

/**
 * The value of an expression that is the same for every record: a constant, a parameter, or texts put together.
 * Undefined for any other expression and for a constant whose value is not used. A slice bound that is left out is
 * null.
 */
export function constantOf(
  tree: TreeNode,
  parameter: (identifier: string) => Constant | undefined,
): Constant | undefined {
  const kind = text(tree["class"]);
  if (kind === "PARAMETER") return parameter(text(tree["identifier"]));
  if (kind === "CAST") {
    const child = objectAt(tree, "child");
    const isText = text(objectAt(tree, "cast_type")?.["id"]) === "VARCHAR";
    return child === null || !isText ? undefined : constantOf(child, parameter);
  }
  if (kind === "FUNCTION" && ["||", "concat"].includes(lower(tree["function_name"]))) {
    const texts = objectsAt(tree, "children").map((child) => constantOf(child, parameter));
    return texts.every((part) => typeof part === "string") ? texts.join("") : undefined;
  }
  return kind === "CONSTANT" ? literal(objectAt(tree, "value")) : undefined;
}

function literal(value: TreeNode | null): Constant | undefined {
  if (value === null || value["is_null"] === true) return null;
  const found = value["value"];
  const type = text(objectAt(value, "type")?.["id"]);
  if (type === "LIST") return null;
  // A decimal constant holds only the digits, without the scale.
  if (found instanceof WrittenNumber) return type === "DECIMAL" ? undefined : Number(found.spelling);
  return typeof found === "object" ? undefined : found;
}
