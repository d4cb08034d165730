/** Names of the formats that can be imported, as `--format` takes them. */
export const FORMAT_NAMES = [
  "inspect",
  "promptfoo",
  "lm-eval",
  "openai-evals",
  "helm",
  "weave",
  "deepeval",
  "eee",
  "lighteval",
  "table",
] as const;
