import { expect, it, onTestFinished, vi } from "vitest";
import { nextTurn } from "../../src/model/turns.ts";
import { engineAnswers } from "../../src/view/answer-source.ts";
import { tellAnswers } from "../../src/view/service/tell-answers.ts";
import { openEngine } from "../../src/index.ts";
import { renderReport } from "../../src/view/make-report.ts";
import { agentCalls } from "../steps/agent-calls.ts";
import { PROJECT, root, trial } from "../support/records.ts";

it("tells no more to who gives up after the first line, and what fails then is nobody's fault", async () => {
  const engine = await openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  const trials = ["a", "b"].map((id) => trial(`${id}1`, { i: 1 }, { ok: true }, { parent_id: id }));
  await engine.ingestCalls([root("a"), root("b"), ...trials]);
  const unheard = vi.fn<(reason: unknown) => void>();
  process.on("unhandledRejection", unheard);
  onTestFinished(() => void process.off("unhandledRejection", unheard));
  const aborter = new AbortController();
  const rejected = () =>
    new Promise<never>((_resolve, reject) => {
      aborter.signal.addEventListener("abort", () => reject(aborter.signal.reason as Error));
    });
  const source = { ...engineAnswers(engine, PROJECT, undefined), compare: rejected, queryText: rejected };
  const lines = tellAnswers(source, PROJECT, { first_rows: 5 });
  expect((await lines.next()).value).toContain('"means"');
  aborter.abort(new Error("the client closed the request"));
  await nextTurn();
  expect(await lines.return()).toEqual({ value: undefined, done: true });
  await nextTurn();
  expect(unheard).not.toHaveBeenCalled();
});

it.each([
  ["asks nothing of steps where no trial that is shown has one", "plain", false],
  ["tells the steps of trials that have some", "agent", true],
])("%s", async (_, shown, hasSteps) => {
  const engine = await openEngine({ path: ":memory:" });
  onTestFinished(() => engine.close());
  const tools = [["search", "a"]] as const;
  await engine.ingestCalls([
    root("plain"),
    trial("p1", { row: 1 }, { solved: true }, { parent_id: "plain" }),
    ...agentCalls([{ id: "a1", of: "agent", row: 1, passed: true, tools }]),
  ]);
  const steps = vi.spyOn(engine, "steps");
  const source = {
    ...engineAnswers(engine, PROJECT, undefined),
    queryText: () => Promise.reject(new Error("no rows are asked for")),
  };
  const told: string[] = [];
  for await (const line of tellAnswers(source, PROJECT, { evaluations: [shown] })) told.push(line);
  expect(told.some((line) => line.startsWith('{"steps"'))).toBe(hasSteps);
  expect(steps.mock.calls.length > 0).toBe(hasSteps);
  steps.mockClear();
  await renderReport(engine, PROJECT, { evaluations: [shown] });
  expect(steps.mock.calls.length > 0).toBe(hasSteps);
});
