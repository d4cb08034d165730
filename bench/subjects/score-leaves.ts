/** The score paths of the data, which whoever writes SQL by hand for it knows. */
export const scoreLeaves = [
  { key: "correct", path: null, kind: "boolean" },
  { key: "judge", path: "rubric.clarity", kind: "number" },
  { key: "judge", path: "rubric.grounded", kind: "boolean" },
  { key: "judge", path: "score", kind: "number" },
  { key: "judge", path: "tone", kind: "text" },
] as const;

export type ScoreLeaf = (typeof scoreLeaves)[number];

/** The path inside a trial's output. */
export function leafPath(leaf: ScoreLeaf): string {
  return `$.scores.${leaf.key}${leaf.path === null ? "" : `.${leaf.path}`}`;
}
