import { once } from "node:events";
import {
  createServer,
  request as ask,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { openEngine, type Engine, type EngineOptions } from "../../src/index.ts";
import { Interrupted } from "../../src/cli/terminal/interrupt.ts";
import { evalcubeHere } from "../cli/in-process.ts";
import { root, trial } from "../support/records.ts";
import { startRemote, type RemoteService } from "./remote-service.ts";

let here: Engine;
let service: RemoteService;
const servers: Server[] = [];

beforeAll(async () => {
  here = await openEngine({ threads: 1 });
  await here.ingestCalls([root("e"), trial("e1", { q: 1 }, { ok: true })]);
  service = await startRemote(here);
});

afterAll(async () => {
  await service.stop();
  await here.close();
});

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server that answers as it is told; resolves to its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Passes requests on to the service; `first` may answer one itself. */
async function between(first: (sent: IncomingMessage, count: number) => "pass" | "drop" | "hang" | number) {
  const asked: string[] = [];
  const url = await serve((sent, reply) => {
    asked.push(`${sent.method} ${sent.url}`);
    const what = first(sent, asked.length);
    if (what === "hang") return;
    if (what === "drop") return void sent.socket.destroy();
    if (typeof what === "number") return void reply.writeHead(what).end("<html>busy</html>");
    const { method, headers } = sent;
    const passed = ask(new URL(sent.url ?? "/", service.url), { method, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(reply);
    });
    sent.pipe(passed);
  });
  return { url, asked };
}

async function refusal(options: EngineOptions): Promise<{ readonly code: string; readonly message: string }> {
  const opened = openEngine({ key: service.key("admin"), ...options });
  const error: unknown = await opened.then(
    (engine) => engine.close().then(() => null),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error && "code" in error)) throw new Error("it opened", { cause: error });
  return { code: String(error.code), message: error.message };
}

/** An address at which nobody listens. */
async function nobody(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

const html: RequestListener = (_, reply) => {
  reply.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in</h1>");
};
const elsewhere: RequestListener = (_, reply) => {
  reply.writeHead(302, { location: "https://login.example/start?token=secret" }).end();
};
const json: RequestListener = (_, reply) => {
  reply.writeHead(200, { "content-type": "application/json" }).end('{"hello":"world"}');
};
const older: RequestListener = ({ url }, reply) => {
  const isDescription = url === "/openapi.json";
  reply.writeHead(isDescription ? 200 : 404, { "content-type": "application/json" });
  reply.end(
    isDescription ? '{"info":{"title":"evalcube","version":"0.0.9"}}' : '{"reason":"There is nothing."}',
  );
};

describe("what is wrong with an address", () => {
  it("is said in one line each, all different, with host and port, never with the key", async () => {
    const cases: readonly (readonly [code: string, said: string, options: EngineOptions])[] = [
      ["unreachable", "ECONNREFUSED", { url: await nobody() }],
      ["bad_credentials", "EVALCUBE_KEY", { url: service.url, key: "ec_unknown" }],
      ["bad_credentials", "--key-file", { url: service.url, key: "" }],
      ["foreign_service", "404: no evalcube is there", { url: `${service.url}/base` }],
      ["unsupported_on_backend", "(version 0.0.9) has no GET /v2/key", { url: await serve(older) }],
      ["foreign_service", "a page came (200)", { url: await serve(html) }],
      ["foreign_service", "leads to https://login.example/start,", { url: await serve(elsewhere) }],
      ["foreign_service", "not an evalcube", { url: await serve(json) }],
    ];
    const told = new Set<string>();
    for (const [code, said, options] of cases) {
      const one = await refusal(options);
      expect(one.code, one.message).toBe(code);
      expect(one.message).toContain(said);
      expect(one.message).toContain(new URL(options.url ?? "").host);
      expect(one.message).not.toContain("\n");
      expect(one.message).not.toContain(service.key("admin"));
      expect(one.message).not.toContain("secret");
      told.add(one.message.replace(/:\d+/, ""));
    }
    expect(told.size).toBe(cases.length);
  });

  it("names the project that a key may not use, and those that it may", async () => {
    const other = await service.open({ key: service.key("admin", "other/*") });
    await expect(other.listEvaluations("acme/qa")).rejects.toMatchObject({
      code: "not_allowed",
      message: expect.stringMatching(/"acme\/qa".* It may use other\/\*\.$/s) as string,
    });
    await other.close();
  });
});

describe("a service that never answers", () => {
  it("is told after 10 seconds, and asked once", async () => {
    const asked: string[] = [];
    const url = await serve(({ url: path = "" }) => void asked.push(path));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const told = refusal({ url: `${url}/hang` });
      await once(servers.at(-1) as Server, "request");
      await vi.advanceTimersByTimeAsync(10_000);
      const { code, message } = await told;
      expect(code).toBe("unreachable");
      expect(message).toContain(`${new URL(url).host}/hang: there is no answer within 10 s`);
      expect(asked).toEqual(["/hang/v2/key"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is not asked again where it sends the begin of an answer", async () => {
    const url = await serve((_, reply) => void reply.writeHead(200).write('{"can":'));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const told = refusal({ url });
      await once(servers.at(-1) as Server, "request");
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await told).message).toContain("within 10 s");
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([[[]], [["--project", "acme/qa"]]])("ends with the command that asks it (%j)", async (more) => {
    let count = 0;
    const interrupt = new AbortController();
    const { url } = await between(() => (++count === 1 ? "pass" : "hang"));
    servers.at(-1)?.on("request", () => {
      if (count > 1) interrupt.abort(new Interrupted(143));
    });
    vi.stubEnv("EVALCUBE_KEY", service.key("read"));
    try {
      const args = ["evaluations", "--db", url, ...more];
      expect(await evalcubeHere(args, "", {}, interrupt.signal)).toMatchObject({ status: 143, stderr: "" });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe("a project that the key may not use, or none", () => {
  it.each(["acme/qa", "../x", "other/../../x"])(
    "is refused without a note of what it holds (%s)",
    async (project) => {
      vi.stubEnv("EVALCUBE_KEY", service.key("admin", "other/*"));
      try {
        const args = ["evaluations", "--db", service.url, "--project", project];
        const { status, stderr } = await evalcubeHere(args);
        expect(status).not.toBe(0);
        expect(stderr).not.toContain("nothing was loaded");
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );
});

describe("options", () => {
  const url = "http://127.0.0.1:9";
  it.each([
    ["path", { path: "evals.duckdb" }],
    ["clickhouse", { clickhouse: { url: "http://127.0.0.1:8123", database: "evals" } }],
    ["memoryLimit", { memoryLimit: "1GiB" }],
    ["threads", { threads: 1 }],
    ["keepAnswers", { keepAnswers: false }],
    ["user", { user: "ann" }],
    ["predictAndScoreOps", { predictAndScoreOps: [] }],
    ["attributeNamespaces", { attributeNamespaces: [] }],
  ])("%s says how a database is opened, and is refused", async (name, options) => {
    const { code, message } = await refusal({ url, ...options });
    expect({ code, begins: message.startsWith(`${name}: `) }).toEqual({
      code: "invalid_request",
      begins: true,
    });
  });

  it("refuses a key in the address without showing it, and a key without an address", async () => {
    const { code, message } = await refusal({ url: "http://api:ec_secret@127.0.0.1:9" });
    expect(code).toBe("invalid_request");
    expect(message).toContain("EVALCUBE_KEY");
    expect(message).not.toContain("ec_secret");
    expect((await refusal({})).message).toContain("key: is for url");
    expect((await refusal({ url: "ftp://host" })).message).toContain("https://");
  });

  it("names no more projects than an address can", async () => {
    const engine = await service.open();
    const names = Array.from({ length: 5000 }, (_, i) => `acme/p${i}`);
    await expect(engine.info({ projects: names })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringMatching(/^projects: .* at most 8000/) as string,
    });
    expect((await engine.info({ projects: [...names.slice(0, 300), "acme/qa"] })).projects).toHaveLength(1);
    await engine.close();
  });

  it("refuses to write with a key that can only read", async () => {
    const options = { url: service.url, key: service.key("read"), readOnly: false };
    expect((await refusal(options)).code).toBe("invalid_request");
  });
});

describe("a connection that fails", () => {
  const records = [root("again"), trial("again-1", { q: 2 }, { ok: true }, { parent_id: "again" })];

  it.each(["drop", 502, 503, 504] as const)("is tried three times by a read (%s)", async (fault) => {
    const { url, asked } = await between((_, count) => (count === 2 || count === 3 ? fault : "pass"));
    const engine = await service.open({ url });
    expect(await engine.listProjects()).toContain("acme/qa");
    expect(asked).toHaveLength(4);
    await engine.close();
  });

  it("is told after the third attempt", async () => {
    const { url, asked } = await between((_, count) => (count > 1 ? "drop" : "pass"));
    const engine = await service.open({ url });
    await expect(engine.listProjects()).rejects.toMatchObject({ code: "unreachable" });
    expect(asked).toHaveLength(4);
    await engine.close();
  });

  it("is tried again by a load, and what is sent twice stands once", async () => {
    const { url, asked } = await between((sent, count) =>
      sent.url?.includes("/ingest") === true && count === 2 ? "drop" : "pass",
    );
    const engine = await service.open({ url });
    await engine.ingestCalls(records);
    expect(asked).toHaveLength(3);
    expect((await here.listEvaluations("acme/qa")).filter(({ id }) => id === "again")).toHaveLength(1);
    await engine.close();
  });

  it("is not tried again by a deletion", async () => {
    const { url, asked } = await between((_, count) => (count > 1 ? "drop" : "pass"));
    const engine = await service.open({ url });
    const deletion = engine.deleteEvaluations("acme/qa", { ids: ["nowhere"] });
    await expect(deletion).rejects.toMatchObject({ code: "unreachable" });
    expect(asked).toHaveLength(2);
    await engine.close();
  });
});

async function proxy() {
  const passed: string[] = [];
  const url = await serve((_, reply) => void reply.writeHead(405).end());
  servers.at(-1)?.on("connect", ({ url: target = "" }: IncomingMessage, socket: Socket) => {
    passed.push(target);
    const { hostname, port } = new URL(`http://${target}`);
    const there = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      there.pipe(socket).pipe(there);
    });
    there.on("error", () => socket.destroy());
    socket.on("error", () => there.destroy());
  });
  return { url, passed };
}

describe("a proxy of the environment", () => {
  it("is gone through, but for what NO_PROXY names", async () => {
    const { url, passed } = await proxy();
    vi.stubEnv("HTTP_PROXY", url);
    vi.stubEnv("NO_PROXY", "elsewhere.example");
    try {
      const through = await service.open();
      expect(await through.listProjects()).toContain("acme/qa");
      await through.close();
      expect(new Set(passed)).toEqual(new Set([new URL(service.url).host]));
      passed.length = 0;
      vi.stubEnv("NO_PROXY", "127.0.0.1");
      const direct = await service.open();
      expect(await direct.listProjects()).toContain("acme/qa");
      await direct.close();
      expect(passed).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe("work that is ended", () => {
  it("rejects with the reason of its signal", async () => {
    const engine = await service.open();
    const reason = new Error("enough");
    const stopped = engine.queryEvalResultsJson("acme/qa", {}, { signal: AbortSignal.abort(reason) });
    await expect(stopped).rejects.toBe(reason);
    await engine.close();
  });

  it("rejects by interrupt, and goes on afterwards", async () => {
    const { url } = await between(() => "pass");
    const engine = await service.open({ url });
    const waiting = engine.listProjects();
    engine.interrupt();
    await expect(waiting).rejects.toMatchObject({ code: "interrupted" });
    expect(await engine.listProjects()).toContain("acme/qa");
    await engine.close();
  });

  it("rejects once the engine is closed", async () => {
    const engine = await service.open();
    await engine.close();
    await expect(engine.listProjects()).rejects.toMatchObject({ code: "closed" });
    await expect(engine.streamEvalResults("acme/qa", {}).next()).rejects.toMatchObject({ code: "closed" });
  });
});
