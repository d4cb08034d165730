import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { openEngine, type CallRecord } from "../../src/index.ts";
import { serveHttp } from "../../src/http/node/serve.ts";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { exampleCalls, start, temporaryFolder } from "../cli/command.ts";
import { blocksOf, readPage } from "../docs/pages.ts";
import { connect, lineTransport, serviceOf, type Asker } from "./clients.ts";

const PAGE = readPage("docs/agents.md");
const BLOCKS = blocksOf(PAGE);

/** How a program is told of a server: a command line, or an address with headers. */
type Settings =
  | { readonly args: readonly string[] }
  | { readonly url: string; readonly authorization: string };

function ofJson(code: string): Settings {
  const whole = JSON.parse(code) as Record<string, Record<string, Record<string, unknown>>>;
  const [servers] = Object.values(whole);
  const { command, args, url, headers, type } = servers?.["evalcube"] ?? {};
  if (url === undefined) {
    expect(command).toBe("npx");
    expect([undefined, "stdio"]).toContain(type);
    return { args: args as string[] };
  }
  return { url: url as string, authorization: (headers as Record<string, string>)["Authorization"] ?? "" };
}

/** Settings of Codex are texts, and lists of texts that are JSON too. */
function ofToml(code: string): Settings {
  const [head, ...lines] = code.trim().split("\n");
  expect(head).toBe("[mcp_servers.evalcube]");
  const members = new Map(lines.map((line) => line.split(" = ") as [string, string]));
  const value = (name: string): unknown => JSON.parse(members.get(name) ?? "null");
  if (!members.has("url")) return { args: value("args") as string[] };
  return {
    url: value("url") as string,
    authorization: `Bearer \${${String(value("bearer_token_env_var"))}}`,
  };
}

function ofShell(code: string): Settings {
  const words = [...code.trim().matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "");
  const at = words.indexOf("npx");
  if (at !== -1) return { args: words.slice(at + 1) };
  return {
    url: words.find((one) => one.startsWith("http:")) ?? "",
    authorization: (words.at(-1) ?? "").replace("Authorization: ", ""),
  };
}

const READERS: Readonly<Record<string, (code: string) => Settings>> = {
  json: ofJson,
  toml: ofToml,
  sh: ofShell,
};

const { folder, remove } = temporaryFolder();
const file = `${folder}/evals.duckdb`;

beforeAll(async () => {
  const engine = await openEngine({ path: file, threads: 1 });
  await engine.ingestCalls(exampleCalls() as CallRecord[]);
  await engine.close();
  return remove;
});

/** What a server says of the runs of its database. */
async function saidBy(asker: Asker): Promise<unknown> {
  const { structured } = await asker.call("list_evaluations");
  await asker.close();
  return structured.says;
}

/** Starts the server of these settings, and asks it. */
async function askedAs(settings: Settings): Promise<unknown> {
  if ("args" in settings) {
    const args = settings.args.map((one) => (one === "evals.duckdb" ? file : one));
    const child = start(args.slice(args.indexOf("evalcube") + 1), folder);
    return await saidBy(await connect("2025-11-25", lineTransport(child.stdin, child.stdout)));
  }
  const engine = await openEngine({ path: file, readOnly: true, threads: 1 });
  const { handler, key } = serviceOf(engine);
  const service = await serveHttp(handler, { host: "127.0.0.1", port: 0, graceMs: 100 });
  const url = settings.url.replace("http://127.0.0.1:7341", service.url);
  const authorization = settings.authorization.replace(/\$(\{(env:)?EVALCUBE_KEY\}|EVALCUBE_KEY)/, key);
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization } },
  });
  const said = await saidBy(await connect("2026-07-28", transport));
  await service.stop();
  await engine.close();
  return said;
}

describe("docs/agents.md", () => {
  it("has a block for each program, for a file and for a service", () => {
    expect(BLOCKS.map(({ language }) => language).toSorted()).toEqual(
      [...Array<string>(6).fill("json"), "sh", "sh", "toml", "toml"].toSorted(),
    );
    expect(PAGE.split("\n").length).toBeLessThan(120);
  });

  it.each(BLOCKS.map(({ line, language, code }) => [line, language, code] as const))(
    "starts a server as the block in line %i says",
    async (_line, language, code) => {
      const settings = READERS[language]?.(code);
      if (settings === undefined) throw new Error(`nobody reads ${language}`);
      expect(await askedAs(settings)).toEqual(["2 evaluations."]);
    },
  );
});

describe("skills/evalcube/SKILL.md", () => {
  const skill = readFileSync("skills/evalcube/SKILL.md", "utf8");

  it("has its name, says when to use it, and is short", () => {
    expect(skill).toMatch(/^---\nname: evalcube\ndescription: Use it when .+\n/);
    expect(skill.split("\n").length).toBeLessThan(90);
  });

  it("names every tool and no other", async () => {
    const engine = await openEngine({ threads: 1 });
    const asker = await connect("2025-11-25", serviceOf(engine).transport());
    const { tools } = (await asker.ask("tools/list")) as { tools: { name: string }[] };
    const lines = skill.split("\n");
    const from = lines.findIndex((line) => line.startsWith("| question | tool |"));
    const table = lines.slice(from + 2, lines.indexOf("", from));
    const named = table.map((line) => /\| `([a-z_]+)`/.exec(line)?.[1] ?? line);
    expect(new Set(named)).toEqual(new Set(tools.map(({ name }) => name)));
    await asker.close();
    await engine.close();
  });
});
