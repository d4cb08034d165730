import { createHarness, createJudge, describeEval } from "vitest-evals";

const Short = createJudge("Short", async ({ output }: { output: string }) => ({
  score: output.length < 6 ? 1 : 0.5,
  metadata: { rationale: `${output.length} letters` },
}));

const assistant = createHarness<string, string>({
  name: "assistant",
  run: async ({ input }) => ({
    output: input.includes("refund") ? "refunded" : "hello",
    messages: [{ role: "user", content: input }],
    usage: { model: "gpt-4o-mini", inputTokens: 20, outputTokens: 4 },
    timings: { totalMs: 120 },
    traces: [{ name: "run", spans: [{ name: "lookup", kind: "tool", durationMs: 30 }] }],
  }),
});

describeEval("assistant", { harness: assistant, judges: [Short], judgeThreshold: 0.9 }, (it) => {
  it("greets", async ({ run }) => {
    await run("hi there");
  });

  it("refunds", async ({ run }) => {
    await run("a refund, please");
  });
});
