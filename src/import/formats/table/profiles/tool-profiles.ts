import { beginning, present, rolesOf, type TableProfile } from "./profile.ts";

const FEEDBACK = "feedback.";

/** LangSmith: `get_test_results`. */
export const langsmith: TableProfile = {
  name: "LangSmith",
  fits: ({ columns }) =>
    [["input.", "inputs."], ["outputs.", "output."], [FEEDBACK]].every(
      (begins) => beginning(columns, ...begins).length > 0,
    ),
  rename: (column) => (column.startsWith(FEEDBACK) ? column.slice(FEEDBACK.length) : column),
  roles: (columns) =>
    rolesOf({
      row: present(columns, "reference_example_id"),
      input: beginning(columns, "input.", "inputs."),
      expected: beginning(columns, "reference."),
      output: beginning(columns, "outputs.", "output."),
      score: beginning(columns, FEEDBACK),
      trial: present(columns, "id"),
      latency: present(columns, "execution_time"),
      error: present(columns, "error"),
    }),
};

/** Ragas: `to_pandas`, `to_csv`. */
export const ragas: TableProfile = {
  name: "Ragas",
  fits: ({ columns }) => columns.includes("user_input") && columns.includes("response"),
  // The index of a data frame.
  rename: (column) => (/^(column 1|Unnamed: 0)$/.test(column) ? null : column),
  roles: (columns) => ({
    row: [],
    input: present(columns, "user_input", "reference", "reference_contexts"),
    output: "response",
  }),
  scoresAreNumbers: true,
  isOfTrial: (column) => column === "retrieved_contexts",
};

const MLFLOW_SCORE = /(\/v\d+)?\/(score|value)$/;

/** MLflow: `eval_results_table.json`. */
export const mlflow: TableProfile = {
  name: "MLflow",
  fits: ({ columns, shape }) => shape === "split" || columns.some((column) => MLFLOW_SCORE.test(column)),
  rename: (column) => column.replace(MLFLOW_SCORE, ""),
  roles: (columns) =>
    rolesOf({
      input: [...present(columns, "inputs"), ...beginning(columns, "inputs/")],
      output: present(columns, "outputs", "predictions").slice(0, 1),
      expected: [
        ...present(columns, "targets", "expectations").slice(0, 1),
        ...beginning(columns, "expectations/").filter((column) => !MLFLOW_SCORE.test(column)),
      ],
      score: columns.filter((column) => MLFLOW_SCORE.test(column)),
    }),
  isOfTrial: (column) => /\/(justification|rationale)$/.test(column),
};

/** Langfuse: scores, or items of a dataset run. */
export const langfuse: TableProfile = {
  name: "Langfuse",
  fits: ({ columns }) => present(columns, "traceId", "name", "value", "dataType").length === 4,
  roles: (columns) => {
    const items = present(columns, "datasetItemId");
    return rolesOf({
      row: items.length > 0 ? items : ["traceId"],
      trial: items.length > 0 ? ["traceId"] : [],
      metric: ["name"],
      value: ["value"],
      evaluation: present(columns, "datasetRunName", "datasetRunId", "runName").slice(0, 1),
    });
  },
};
