import {
  objectAt,
  objectsAt,
  partsOf,
  positionOf,
  refusedStatement,
  text,
  type TreeNode,
} from "../syntax/tree.ts";
import { elements, type Argument, type Size } from "./arguments.ts";
import { constantOf, type PlainRule, resultBytes, type Rule } from "./calls.ts";
import { SHORT_BYTES } from "./limits.ts";
import { inner, larger, type Costs, type Place } from "./place.ts";

/** Macros that repeat their arguments in the expression that DuckDB substitutes for them. */
const WRITTEN_OUT: ReadonlySet<string> = new Set([
  "array_to_string",
  "array_to_string_comma_default",
  "fmod",
  "json_group_array",
  "json_group_object",
  "nullif",
  "round_even",
  "roundbankers",
  "split_part",
  "wavg",
  "weighted_avg",
]);
const TIMES_WRITTEN = 4;

/** Aggregates that read all values of a frame again for each record, without checking for an interrupt. */
const OF_WHOLE_PARTITIONS: ReadonlySet<string> = new Set([
  "approx_quantile",
  "approx_top_k",
  "mad",
  "median",
  "mode",
  "quantile",
  "quantile_cont",
  "quantile_disc",
]);

/** Measures a call of a function: its arguments and its other parts. */
export function callSize(costs: Costs, tree: TreeNode, place: Place): Size {
  const name = text(tree["function_name"]);
  const rule = ruleOf(costs, name);
  const args = objectsAt(tree, "children");
  const others = partsOf(tree).filter((part) => !args.includes(part));
  const terms = totalTerms(others.map((part) => costs.expression(costs, part, place)));
  const size =
    rule === "transform" || rule === "filter"
      ? lambdaSize(costs, tree, { rule, name, args }, place)
      : ruledSize(costs, tree, { rule, name, args }, place);
  return { ...size, terms: terms + size.terms * (WRITTEN_OUT.has(name.toLowerCase()) ? TIMES_WRITTEN : 1) };
}

export function windowSize(costs: Costs, tree: TreeNode, place: Place): Size {
  const fault = windowFault(costs, tree);
  if (fault === null) return callSize(costs, tree, place);
  const name = text(tree["function_name"]);
  throw refusedStatement(`${name}() ${fault}`, "group in a subquery and join it", positionOf(tree));
}

function windowFault(costs: Costs, tree: TreeNode): string | null {
  const name = text(tree["function_name"]).toLowerCase();
  if (collects(costs, tree)) return "over a window";
  if (tree["distinct"] === true || objectsAt(tree, "arg_orders").length > 0)
    return "of distinct or ordered values over a window";
  const wholePartition =
    objectsAt(tree, "orders").length === 0 &&
    text(tree["start"]) === "UNBOUNDED_PRECEDING" &&
    ["CURRENT_ROW_RANGE", "UNBOUNDED_FOLLOWING"].includes(text(tree["end"])) &&
    ["", "NO_OTHER"].includes(text(tree["exclude_clause"]));
  return OF_WHOLE_PARTITIONS.has(name) && !wholePartition
    ? "over a window that is ordered or has a frame"
    : null;
}

interface Ruled<R extends Rule> {
  readonly rule: R;
  readonly name: string;
  readonly args: readonly TreeNode[];
}

/** Measures a call or an operator whose rule bounds its result by its arguments. */
export function ruledSize(
  costs: Costs,
  tree: TreeNode,
  { rule, name, args }: Ruled<PlainRule>,
  place: Place,
): Size {
  const position = positionOf(tree);
  const measured = args.map((arg): Argument => {
    const items = text(arg["function_name"]) === "list_value" ? objectsAt(arg, "children").length : null;
    const size = costs.expression(costs, arg, place);
    return { ...size, items, constant: constantOf(arg, costs.parameter) };
  });
  const bytes = resultBytes(rule, { name, args: measured, position });
  const collected = rule === "sort" && args[0] !== undefined && collects(costs, args[0]);
  if (rule !== "collect" && !collected) costs.meter.make(bytes, `${name}()`, position);
  return { bytes, element: elementOf(rule, measured), terms: 1 + totalTerms(measured) };
}

/** Bytes of one element of a collected list, or of a part of such a list; null where they are not known. */
function elementOf(rule: PlainRule, [first]: readonly Argument[]): number | null {
  if (rule === "collect") return Math.max(SHORT_BYTES, first?.bytes ?? 0);
  return rule === "slice" || rule === "longest" || rule === "sort" ? (first?.element ?? null) : null;
}

/** Measures a call with a lambda, which counts for each element of the list. */
function lambdaSize(
  costs: Costs,
  tree: TreeNode,
  { rule, name, args }: Ruled<"transform" | "filter">,
  place: Place,
): Size {
  const position = positionOf(tree);
  const [listTree, lambda] = args;
  const body = lambda === undefined ? null : objectAt(lambda, "expr");
  if (listTree === undefined || body === null) {
    throw refusedStatement(
      `${name}() without a list and a lambda`,
      "write list_filter(l, lambda x: x > 1)",
      position,
    );
  }
  const list = costs.expression(costs, listTree, place);
  if (list.bytes === Infinity) costs.meter.make(Infinity, `${name}()`, position);
  const inside = inner(
    { ...place, from: { ...place.from, column: larger(place.from.column, list) } },
    position,
  );
  const count = elements(list.bytes);
  const each = costs.meter.times(count, `${name}()`, position, () => costs.expression(costs, body, inside));
  const bytes = rule === "filter" ? list.bytes : count * Math.max(SHORT_BYTES, each.bytes);
  costs.meter.make(bytes, `${name}()`, position);
  return {
    bytes,
    element: rule === "filter" ? list.element : each.bytes,
    terms: 1 + list.terms + each.terms,
  };
}

function collects(costs: Costs, tree: TreeNode): boolean {
  return ruleOf(costs, text(tree["function_name"])) === "collect";
}

export function totalTerms(sizes: readonly Size[]): number {
  return sizes.reduce((sum, { terms }) => sum + terms, 0);
}

function ruleOf({ rules }: Costs, name: string): Rule {
  return rules.get(name) ?? rules.get(name.toLowerCase()) ?? "table";
}
