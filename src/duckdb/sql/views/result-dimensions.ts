import type { ScoreColumn } from "../../../plan/trial-table.ts";
import { results } from "../../views/results.ts";
import {
  integerConstant,
  listAt,
  lower,
  objectAt,
  objectsAt,
  replaceNodes,
  type TreeNode,
} from "../syntax/tree.ts";

/** Up to so many dimensions are read each by itself, which is faster then. */
const FEW = 8;

/** The queries in `sql/duckdb/views` that say how `results` reads dimensions. */
interface DimensionQueries {
  readonly few: TreeNode;
  readonly many: TreeNode;
}

const OWN_COLUMNS = Object.keys(results.columns).length;
const OWN_TABLES = 4;

/** How many columns the view has with these dimensions, and how many tables it reads. */
export function resultsSize({ length }: readonly ScoreColumn[]) {
  return { columns: OWN_COLUMNS + length, tables: length > 0 ? OWN_TABLES + (length > FEW ? 1 : length) : 1 };
}

/** The query of `results` with a column for each of these dimensions. */
export function withDimensions(
  view: TreeNode,
  dimensions: readonly ScoreColumn[],
  { few, many }: DimensionQueries,
): TreeNode {
  if (dimensions.length === 0) return view;
  return dimensions.length <= FEW ? eachByItself(view, dimensions, few) : inOnePass(view, dimensions, many);
}

function eachByItself(view: TreeNode, dimensions: readonly ScoreColumn[], query: TreeNode): TreeNode {
  const join = objectAt(query, "from_table") ?? {};
  const columns: TreeNode[] = [];
  const joins: TreeNode[] = [];
  for (const dimension of dimensions) {
    const own = (node: TreeNode) => ownTable(withPath(node, dimension), `s${dimension.pathKey}`);
    columns.push({ ...own(itemOf(query, dimension.type)), alias: dimension.name });
    joins.push(own(join));
  }
  const joined = (trials: TreeNode) => joins.reduce<TreeNode>((left, one) => ({ ...one, left }), trials);
  return {
    ...view,
    select_list: [...listAt(view, "select_list"), ...columns],
    from_table: belowLeftJoins(objectAt(view, "from_table") ?? {}, joined),
  };
}

/** The source with its trials replaced; calls and rows are joined last, so that no other join carries their values. */
function belowLeftJoins(source: TreeNode, replaced: (trials: TreeNode) => TreeNode): TreeNode {
  const left = source["join_type"] === "LEFT" ? objectAt(source, "left") : null;
  return left === null ? replaced(source) : { ...source, left: belowLeftJoins(left, replaced) };
}

function inOnePass(view: TreeNode, dimensions: readonly ScoreColumn[], query: TreeNode): TreeNode {
  const join = objectAt(query, "from_table") ?? {};
  const right = objectAt(join, "right") ?? {};
  const subquery = objectAt(right, "subquery") ?? {};
  const values = objectAt(subquery, "node") ?? {};
  const [key = {}] = objectsAt(values, "select_list");
  const found = dimensions.map((dimension) => ({
    ...withPath(itemOf(values, dimension.type), dimension),
    alias: `d${dimension.pathKey}`,
  }));
  const pass = { ...right, subquery: { ...subquery, node: { ...values, select_list: [key, ...found] } } };
  const columns = dimensions.map(({ name, pathKey }) => ({
    ...withValue(itemOf(query, "value"), "s", `d${pathKey}`),
    alias: name,
  }));
  return {
    ...view,
    select_list: [...listAt(view, "select_list"), ...columns],
    from_table: belowLeftJoins(objectAt(view, "from_table") ?? {}, (left) => ({
      ...join,
      left,
      right: pass,
    })),
  };
}

function itemOf(query: TreeNode, name: string): TreeNode {
  return objectsAt(query, "select_list").find((item) => lower(item["alias"]) === name) ?? {};
}

function withPath(tree: TreeNode, { pathKey }: ScoreColumn): TreeNode {
  return replaceNodes(tree, (node) => {
    const { identifier, ...place } = node;
    return node["class"] === "PARAMETER" && identifier === "path_key"
      ? { ...place, ...integerConstant(pathKey) }
      : null;
  });
}

/** The tree with its table `s` under another name. */
function ownTable(tree: TreeNode, alias: string): TreeNode {
  return replaceNodes(tree, (node) => {
    if (node["class"] === "COLUMN_REF" && listAt(node, "column_names")[0] === "s")
      return { ...node, column_names: [alias, ...listAt(node, "column_names").slice(1)] };
    return node["type"] === "BASE_TABLE" && node["alias"] === "s" ? { ...node, alias } : null;
  });
}

/** The tree with a table's value under the name that it has for a dimension. */
function withValue(tree: TreeNode, table: string, name: string): TreeNode {
  return replaceNodes(tree, (node) =>
    node["class"] === "COLUMN_REF" && listAt(node, "column_names")[0] === table
      ? { ...node, column_names: [table, name] }
      : null,
  );
}
