import { expect, it } from "vitest";
import { openEngine, type Engine, type StepsRequest } from "../../src/index.ts";
import { call, PROJECT, root, trial } from "../support/records.ts";
import { scratchPath } from "../support/scratch.ts";
import { agentCalls, type Attempt } from "./agent-calls.ts";

const ATTEMPTS: readonly Attempt[] = [
  { id: "a1", of: "run", row: 1, passed: true, tools: [["search", "a"]] },
  {
    id: "a2",
    of: "run",
    row: 1,
    passed: false,
    tools: [
      ["search", "a"],
      ["search", "a"],
      ["open", "b", "NotFound"],
    ],
  },
];

const REQUESTS: readonly StepsRequest[] = [
  { evaluation_call_ids: ["run"] },
  { evaluation_call_ids: ["run"], view: "diff" },
  { trials: ["a2"], view: "trial", texts: true },
];

const VIEW = "SELECT * FROM steps ORDER BY trial_id, step";

async function told(engine: Engine) {
  const answers = [];
  for (const request of REQUESTS) answers.push(JSON.stringify(await engine.steps(PROJECT, request)));
  return { answers, view: (await engine.sql(PROJECT, VIEW)).toString() };
}

async function countsOf(engine: Engine) {
  const answer = await engine.steps(PROJECT, { evaluation_call_ids: ["run"] });
  if (answer.view !== "tools") throw new Error("steps were not told by tool");
  const [run] = answer.evaluations;
  return [run?.trials_with_steps, run?.chats, run?.tool_calls, run?.tool_errors, run?.repeats];
}

it("are the same after close, in a backup, and where the calls are loaded from it once more", async () => {
  const [path, copy] = [scratchPath(), scratchPath()];
  const engine = await openEngine({ path });
  await engine.ingestCalls(agentCalls(ATTEMPTS));
  const expected = await told(engine);
  await engine.backup(copy);
  await engine.close();
  for (const file of [path, copy]) {
    const again = await openEngine({ path: file });
    expect(await told(again)).toEqual(expected);
    await again.ingestCalls(agentCalls(ATTEMPTS));
    expect(await told(again)).toEqual(expected);
    expect((await again.check()).problems).toEqual([]);
    await again.close();
  }
});

it("go with their call or their trial when it is deleted, from answers that were kept too", async () => {
  const engine = await openEngine();
  await engine.ingestCalls(agentCalls(ATTEMPTS));
  expect(await countsOf(engine)).toEqual([2, 4, 4, 1, 1]);
  await engine.deleteCalls(PROJECT, ["a2-tool-1"]);
  expect(await countsOf(engine)).toEqual([2, 4, 3, 1, 0]);
  await engine.deleteCalls(PROJECT, ["a2"]);
  expect(await countsOf(engine)).toEqual([1, 1, 1, 0, 0]);
  expect((await engine.sql(PROJECT, "SELECT * FROM steps")).numRows).toBe(2);
  await engine.close();
});

it("are no calls that evaluate others themselves, however deep they are", async () => {
  const engine = await openEngine();
  const tool = { attributes: { "gen_ai.operation.name": "execute_tool" } };
  await engine.ingestCalls([
    root("run"),
    trial("t", { row: 1 }, { solved: true }, { parent_id: "run" }),
    call("helper", { parent_id: "t", op_name: "helper" }),
    call("search", { parent_id: "helper", op_name: "search", ...tool }),
    call("own-tests", { parent_id: "helper", op_name: "own_tests", ...tool }),
    trial("nested", { row: 1 }, { passed: true }, { parent_id: "own-tests" }),
  ]);
  const names = await engine.sql(PROJECT, "SELECT name FROM steps WHERE trial_id = 't'");
  expect(names.toArray().map(String)).toEqual(['{"name": "search"}']);
  const answer = await engine.steps(PROJECT, { evaluation_call_ids: ["run"] });
  expect(answer).toMatchObject({ evaluations: [{ tool_calls: 1, tools: [{ name: "search" }] }] });
  await engine.close();
});
