import { EVALUATION } from "../readers/experiment-table.ts";
import { beginning, present, rolesOf, type TableProfile } from "./profile.ts";

const BESIDE = /\.(label|explanation|error)$/;

/** Phoenix: an experiment with its runs and their evaluations. */
export const phoenix: TableProfile = {
  name: "Phoenix",
  fits: ({ shape }) => shape === "experiment",
  rename: (column) => (column.startsWith(EVALUATION) ? column.slice(EVALUATION.length) : column),
  roles: (columns) =>
    rolesOf({
      row: ["dataset_example_id"],
      trial: present(columns, "repetition_number"),
      output: present(columns, "output"),
      error: present(columns, "error"),
      started: present(columns, "start_time"),
      latency: present(columns, "latency"),
      evaluation: present(columns, "experiment_id"),
      score: beginning(columns, EVALUATION).filter((column) => !BESIDE.test(column)),
    }),
  isOfTrial: () => true,
};
