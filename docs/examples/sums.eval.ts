import type { EvaluateOptions } from "evalcube";

const evaluation: EvaluateOptions<{ a: number; b: number }, number> = {
  name: "sums",
  model: "calculator",
  data: [
    { a: 1, b: 2 },
    { a: 3, b: 4 },
  ],
  task: (row) => row.a + row.b,
  scorers: { correct: ({ row, output }) => output === row.a + row.b },
};
export default evaluation;
