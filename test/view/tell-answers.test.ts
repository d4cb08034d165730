import { expect, it, onTestFinished, vi } from "vitest";
import { nextTurn } from "../../src/model/turns.ts";
import { engineAnswers } from "../../src/view/answer-source.ts";
import { tellAnswers } from "../../src/view/service/tell-answers.ts";
import { openEngine } from "../../src/index.ts";
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
