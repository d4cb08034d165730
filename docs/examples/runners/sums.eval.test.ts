import { describe, expect, it } from "vitest";

const model = async (question: string) => (question === "6 x 7" ? "41" : "5");

const remote = async (): Promise<string> => {
  throw new TypeError("there is no network");
};

describe("sums", () => {
  it.each([
    { question: "2 + 3", answer: "5" },
    { question: "6 x 7", answer: "42" },
  ])("answers $question", async ({ question, answer }) => {
    const output = await model(question);
    expect(output).toBe(answer);
  });

  it("is short", async ({ task }) => {
    const output = await model("1 + 4");
    Object.assign(task.meta, {
      evalcube: {
        input: "1 + 4",
        output,
        scores: { length: output.length },
        usage: { total_tokens: 12 },
        model: "calculator",
      },
    });
    expect(output.length).toBeLessThan(3);
  });

  it("needs a network", async () => {
    expect(await remote()).toBe("5");
  });
});
