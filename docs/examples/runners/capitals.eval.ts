import { evalite } from "evalite";
import { reportTrace } from "evalite/traces";

async function ask(question: string): Promise<string> {
  const start = performance.now();
  if (question === "?") throw new Error("there is no question");
  const output = question === "France" ? "Paris" : "Rome";
  const usage = { inputTokens: 8, outputTokens: 1, totalTokens: 9 };
  reportTrace({ input: [{ role: "user", content: question }], output, start, end: performance.now(), usage });
  return output;
}

evalite("capitals", {
  data: [{ input: "France", expected: "Paris" }, { input: "Italy", expected: "Rom" }, { input: "?" }],
  task: ask,
  scorers: [
    {
      name: "correct",
      description: "the same letters",
      scorer: ({ output, expected }) => (output === expected ? 1 : 0),
    },
    { name: "length", scorer: ({ output }) => output.length / 10 },
  ],
  trialCount: 2,
});
