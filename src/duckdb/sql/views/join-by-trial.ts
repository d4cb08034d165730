import { listAt, lower, objectAt, withParts, type TreeNode } from "../syntax/tree.ts";

const OF_TRIALS: ReadonlySet<string> = new Set(["trials", "scores", "results"]);

/** What the views of trials have in common besides `trial_id`, and the same of each trial. */
const COMMON = ["evaluation_call_id", "row_digest"] as const;

/**
 * The statement with each join of these views `USING (trial_id)` by the evaluation and the row as well, where it names
 * them: they are one column then, and not ambiguous. `named` is null where it may mean all columns.
 */
export function joinByTrial(statement: TreeNode, named: ReadonlySet<string> | null): TreeNode {
  const added = COMMON.filter((name) => named === null || named.has(name));
  return added.length === 0 ? statement : joined(statement, added);
}

function joined(node: TreeNode, added: readonly string[]): TreeNode {
  const copy = withParts(node, (part) => joined(part, added));
  const columns = new Set(listAt(copy, "using_columns").map(lower));
  const isByTrial = copy["type"] === "JOIN" && columns.has("trial_id");
  if (!isByTrial || !hasCommon(objectAt(copy, "left")) || !hasCommon(objectAt(copy, "right"))) return copy;
  const others = added.filter((name) => !columns.has(name));
  return { ...copy, using_columns: [...listAt(copy, "using_columns"), ...others] };
}

/** Whether a source has the common columns, each once. */
function hasCommon(source: TreeNode | null): boolean {
  if (source === null) return false;
  if (source["type"] === "JOIN")
    return (
      listAt(source, "using_columns").map(lower).includes("trial_id") &&
      hasCommon(objectAt(source, "left")) &&
      hasCommon(objectAt(source, "right"))
    );
  const isRenamed = listAt(source, "column_name_alias").length > 0;
  return source["type"] === "BASE_TABLE" && OF_TRIALS.has(lower(source["table_name"])) && !isRenamed;
}
