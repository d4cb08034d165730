import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { evalcubeHere } from "../cli/in-process.ts";
import { openEngine, type Engine } from "../../src/index.ts";
import { PROJECT, root } from "../support/records.ts";

/* Servers that are no evalcube, or pass on what they were sent. */

const KEY = "ec_0123456789abcdefghij+/=";
const SENT = Buffer.from(`api:${KEY}`).toString("base64");
const JSON_TYPE = { "content-type": "application/json" };
const KNOWN = { id: "x", user: "u", can: "admin", projects: ["*"], version: "0.1.0" };
const servers: Server[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer((sent, reply) => {
    sent.resume().on("end", () => listener(sent, reply));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that knows the key, and answers anything else as it is told. */
function knowing(listener: RequestListener, known: object = KNOWN): Promise<string> {
  return serve((sent, reply) => {
    if (sent.url === "/v2/key") reply.writeHead(200, JSON_TYPE).end(JSON.stringify(known));
    else listener(sent, reply);
  });
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error && "code" in error))
    throw new Error("no error of the library", { cause: error });
  return error.message;
}

/** Whether a message is a line without the key. */
function isShort(message: string): boolean {
  const [hidden, isLong] = [[KEY, SENT.replace(/=+$/, ""), "\n"], message.length > 1500];
  return !isLong && !hidden.some((one) => message.includes(one));
}

const ECHOED = `Authorization: Basic ${SENT}\r\nkey ${KEY}\n`;
const ISSUES = [{ loc: ["body", `name ${KEY}`], msg: ECHOED, type: "unsupported" }];
const INVALID = [{ loc: ["body", 1, KEY], msg: ECHOED, type: "invalid_record" }];

/** Answers that show what was sent: their status, headers and body. */
const ECHOES: readonly (readonly [what: string, number, object, object])[] = [
  ["a refusal", 400, {}, { reason: ECHOED }],
  ["a refusal of the key", 401, {}, { reason: ECHOED }],
  ["a refusal of the project", 403, {}, { reason: ECHOED }],
  ["a missing right", 403, {}, { reason: ECHOED, need: "admin" }],
  ["a fault", 500, {}, { reason: ECHOED }],
  ["a proxy's fault", 503, {}, { reason: ECHOED }],
  ["a fault of the library", 500, { "x-evalcube-code": "query_failed" }, { reason: ECHOED }],
  ["a refusal of the library", 403, { "x-evalcube-code": "not_allowed" }, { reason: ECHOED }],
  ["what is not offered", 501, { "x-evalcube-code": "unsupported_on_backend" }, { reason: ECHOED }],
  ["issues", 422, {}, { reason: "x", detail: ISSUES }],
  ["a record", 422, {}, { reason: "x", detail: INVALID }],
  [
    "issues beside",
    400,
    { "x-evalcube-issues": encodeURIComponent(JSON.stringify(ISSUES)) },
    { reason: "x" },
  ],
  ["no issues beside", 400, { "x-evalcube-issues": "%zz" }, { reason: ECHOED }],
  ["a way elsewhere", 302, { location: `/login/${KEY.replaceAll("/", "")}/${SENT}` }, {}],
  ["much", 400, {}, { reason: `${"much ".repeat(200_000)}${KEY}` }],
  ["many lines of the library", 400, { "x-evalcube-code": "x" }, { reason: "line\n".repeat(200_000) }],
];

describe("an answer that shows the key, or says very much", () => {
  it.each(ECHOES)("is one line without the key: %s", async (_, status, headers, body) => {
    const url = await knowing((_sent, reply) => {
      reply.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
    });
    const engine = await openEngine({ url, key: KEY });
    expect(await messageOf(engine.deleteEvaluations(PROJECT, { ids: ["e"] }))).toSatisfy(isShort);
    await engine.close();
  });

  it("is one line without the key, whatever it says of the key, or of itself", async () => {
    const long = `${ECHOED}${"x".repeat(100_000)}`;
    for (const status of [403, 404]) {
      const url = await knowing(
        (_, reply) => void reply.writeHead(status, JSON_TYPE).end('{"reason":"No."}'),
        { ...KNOWN, version: long, projects: [long, long] },
      );
      const engine = await openEngine({ url, key: KEY });
      expect(await messageOf(engine.listEvaluations(PROJECT))).toSatisfy(isShort);
      await engine.close();
    }
    const older = await serve(({ url }, reply) => {
      const said = { info: { title: "evalcube", version: long }, reason: "No." };
      reply.writeHead(url === "/openapi.json" ? 200 : 404, JSON_TYPE).end(JSON.stringify(said));
    });
    expect(await messageOf(openEngine({ url: older, key: KEY }))).toSatisfy(isShort);
  });
});

const everywhere: RequestListener = (_, reply) => {
  reply.writeHead(200, JSON_TYPE).end(JSON.stringify(KNOWN));
};
const BODIES = [KNOWN, [], null, { projects: ["*"], evaluations: ["e"], rows: "x", res: [{}], data: {} }];

async function all(pieces: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

const NOTE = { project_id: PROJECT, svc_ref: "x", feedback_type: "note", payload: {} };
const TWO = { baseline: "a", candidates: ["b"] };
const JUDGED = { evaluations: ["a"], scorer: "s" };

const MEMBERS: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
  listProjects: (engine) => engine.listProjects(),
  countEvaluations: (engine) => engine.countEvaluations(),
  listEvaluations: (engine) => engine.listEvaluations(PROJECT),
  info: (engine) => engine.info(),
  queryEvalResults: (engine) => engine.queryEvalResults(PROJECT, {}),
  queryEvalResultsJson: (engine) => engine.queryEvalResultsJson(PROJECT, {}),
  streamEvalResults: (engine) => all(engine.streamEvalResults(PROJECT, {})),
  explain: (engine) => engine.explain(PROJECT, {}),
  compareEvaluations: (engine) => engine.compareEvaluations(PROJECT, TWO),
  leaderboard: (engine) => engine.leaderboard(PROJECT, {}),
  history: (engine) => engine.history(PROJECT, {}),
  planRows: (engine) => engine.planRows(PROJECT, { detect: 0.1, rate: 0.5 }),
  items: (engine) => engine.items(PROJECT, JUDGED),
  steps: (engine) => engine.steps(PROJECT, { evaluations: ["a"] } as never),
  agreement: (engine) => engine.agreement(PROJECT, { evaluations: ["a"], a: "s", b: "t" } as never),
  queryTable: (engine) => engine.queryTable(PROJECT, {}),
  queryColumns: (engine) => all(engine.queryColumns(PROJECT, {})),
  sql: (engine) => engine.sql(PROJECT, "select 1"),
  ingestCalls: (engine) => engine.ingestCalls([root("e")]),
  deleteCalls: (engine) => engine.deleteCalls(PROJECT, ["e"]),
  deleteEvaluations: (engine) => engine.deleteEvaluations(PROJECT, { ids: ["e"] }),
  "feedback.create": (engine) => engine.feedback.create(NOTE, { userId: "u" }),
  "feedback.createMany": (engine) => engine.feedback.createMany([NOTE], { userId: "u" }),
  "feedback.list": (engine) => engine.feedback.list(PROJECT),
  "feedback.purge": (engine) => engine.feedback.purge(PROJECT, { ids: ["x"] }),
  backup: (engine) => engine.backup("never-written.duckdb"),
};

describe("a server that answers everything, and is no evalcube", () => {
  it.each(Object.entries(MEMBERS))("is told from one by %s", async (_, ask) => {
    for (const body of BODIES) {
      const url = await knowing((_sent, reply) => {
        reply.writeHead(200, JSON_TYPE).end(JSON.stringify(body));
      });
      const engine = await openEngine({ url, key: KEY });
      await expect(ask(engine), JSON.stringify(body)).rejects.toMatchObject({ code: "foreign_service" });
      await engine.close();
    }
  });

  it("is told in one line by commands", async () => {
    const url = await serve(everywhere);
    vi.stubEnv("EVALCUBE_KEY", KEY);
    const lines = [
      "evaluations",
      "info",
      "leaderboard",
      "query",
      "query --format table",
      "history",
      "explain",
    ];
    for (const line of [
      ...lines,
      "compare --baseline a --candidate b",
      "report --out never-written.html",
      "sql select",
    ]) {
      const { status, stdout, stderr } = await evalcubeHere([...line.split(" "), "--db", url]);
      expect({ status, stdout }, line).toEqual({ status: 1, stdout: "" });
      expect(stderr, line).toMatch(/^evalcube: .*: the answer is not that of an evalcube; .*\n$/);
    }
  });
});
