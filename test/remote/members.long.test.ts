import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EvalcubeError, openEngine, RequestError, type Engine } from "../../src/index.ts";
import { CALLS, PROJECT } from "../doors/calls.ts";
import { startRemote, type RemoteService } from "./remote-service.ts";

/* Every member of an engine works over an address, or is refused by its name. */

let here: Engine;
let service: RemoteService;
let far: Engine;

beforeAll(async () => {
  here = await openEngine({ threads: 1 });
  await here.ingestCalls(CALLS);
  service = await startRemote(here);
  far = await service.open();
});

afterAll(async () => {
  await far.close();
  await service.stop();
  await here.close();
});

/** What is refused, and nothing else; of `training` and `usage` everything. */
const REFUSED: ReadonlySet<string> = new Set([
  "check",
  "maintain",
  "usage.recordUsage",
  "usage.flush",
  ...[
    "completeCalls",
    "createFile",
    "readFile",
    "streamEvaluationRuns",
    "readEvaluationRun",
    "streamPredictions",
    "readPrediction",
    "streamScores",
    "readScore",
    "streamEvaluationVersions",
    "readEvaluationVersion",
    "storeSpans",
  ].map((name) => `weave.${name}`),
]);

type Member = (...given: readonly unknown[]) => unknown;

type Place = readonly [path: string, group: string | null, name: string];

/** The functions of an engine, by their path. */
function membersOf(engine: Engine): readonly Place[] {
  return Object.entries<unknown>(engine as object as Record<string, unknown>).flatMap(
    ([name, member]): readonly Place[] =>
      typeof member === "function"
        ? [[name, null, name]]
        : Object.keys(member as object).map((inner) => [`${name}.${inner}`, name, inner]),
  );
}

function memberOf(engine: Engine, group: string | null, name: string): Member {
  const from = group === null ? engine : (engine as unknown as Record<string, object>)[group];
  return (from as Record<string, Member>)[name] as Member;
}

/** The error of a member, whether it throws, rejects, or is read in pieces. */
async function errorOf(member: Member): Promise<unknown> {
  try {
    const given = member("acme/qa", {}, {});
    if (typeof given === "object" && given !== null && Symbol.asyncIterator in given)
      for await (const _ of given as AsyncIterable<unknown>) return null;
    await given;
    return null;
  } catch (error) {
    return error;
  }
}

describe("the members of an engine", () => {
  it("are all there over an address; those without a route are refused by name", async () => {
    const refused: string[] = [];
    for (const [path, group, name] of membersOf(here)) {
      if (["close", "interrupt", "startEvaluation"].includes(path)) continue;
      const member = memberOf(far, group, name);
      expect(member, path).toBeTypeOf("function");
      const error = await errorOf(member);
      if (!(error instanceof EvalcubeError && error.code === "unsupported_on_backend")) continue;
      expect(error.message).toContain(path);
      refused.push(path);
    }
    const expected = membersOf(here)
      .map(([path]) => path)
      .filter((path) => REFUSED.has(path) || path.startsWith("training."));
    expect(refused.toSorted()).toEqual(expected.toSorted());
  });
});

async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  return await work().catch((error: unknown) =>
    error instanceof RequestError ? { issues: error.issues } : { message: String(error) },
  );
}

async function expectSame(ask: (engine: Engine) => Promise<unknown>): Promise<void> {
  expect(await outcome(() => ask(far))).toEqual(await outcome(() => ask(here)));
}

async function joined(parts: AsyncIterable<string>): Promise<string> {
  let all = "";
  for await (const part of parts) all += part;
  return all;
}

const note = (id: string, type = "x.note", payload: object = { big: 1 }) => ({
  id,
  project_id: PROJECT,
  svc_ref: `svc:///${PROJECT}/call/run-1`,
  feedback_type: type,
  payload,
});

describe("feedback over an address", () => {
  it("is listed and purged as by the engine", async () => {
    await here.feedback.createMany([note("n1"), note("n2", "x.other", { é: [1.5, null] }), note("n3")], {
      userId: "ann",
    });
    for (const options of [
      {},
      { limit: 2 },
      { limit: 1, after: "n1" },
      { feedback_type: "x.other" },
      { svc_ref: "svc:///acme/qa/call/none" },
      { since: "2999-01-01T00:00:00Z" },
      { until: "2999-01-01T00:00:00Z" },
      { after: "nobody" },
      { limit: 0 },
      { since: "yesterday" },
      { no: 1 },
    ]) {
      await expectSame((engine) => engine.feedback.listJson(PROJECT, options));
      await expectSame((engine) => engine.feedback.list(PROJECT, options));
    }
    await expectSame((engine) => engine.feedback.list("no project"));
    for (const selection of [{}, { ids: [1] }, { ids: ["nobody"] }])
      await expectSame((engine) => engine.feedback.purge(PROJECT, selection as object));
    expect(await far.feedback.purge(PROJECT, { ids: ["n1", "n2"] })).toEqual({ purged: 2 });
    expect(await far.feedback.purge(PROJECT, { feedback_type: "x.note" })).toEqual({ purged: 1 });
    expect(await here.feedback.list(PROJECT)).toEqual({ data: [], has_more: false });
  });

  it("needs a key that can write to be purged, and one that can read to be listed", async () => {
    const reader = await service.open({ key: service.key("read") });
    expect(await reader.feedback.list(PROJECT)).toMatchObject({ has_more: false });
    await expect(reader.feedback.purge(PROJECT, { ids: ["n1"] })).rejects.toMatchObject({
      code: "not_allowed",
    });
    await reader.close();
  });
});

it("what clients of Weave ask in pieces is answered as by the engine", async () => {
  expect.hasAssertions();
  const caller = { userId: "ann", mayUse: () => true };
  const body = JSON.stringify({ project_id: PROJECT });
  for (const name of ["queryObjects", "queryCosts", "queryFeedback", "streamCalls"] as const)
    await expectSame((engine) => joined(engine.weave[name](body, caller)));
  const refs = JSON.stringify({ refs: [`weave:///${PROJECT}/call/run-1`] });
  await expectSame((engine) => joined(engine.weave.readReferences(refs, caller)));
});
