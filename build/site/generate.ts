import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { PassThrough } from "node:stream";
import { program } from "../../src/cli/program.ts";
import { support, supportCalls } from "../../src/demo/support.ts";
import { VIEWS } from "../../src/duckdb/views/views.ts";
import { createHttpHandler } from "../../src/http/handler.ts";
import { openEngine } from "../../src/index.ts";
import { renderReport } from "../../src/view/make-report.ts";

const API = fileURLToPath(new URL("../api/", import.meta.url));

const block = (language: string, text: string) => `\`\`\`${language}\n${text.trim()}\n\`\`\`\n`;

/** The pages that are made of what the program says, by their paths below `docs` without the ending. */
export async function generatedPages(): Promise<Readonly<Record<string, string>>> {
  return {
    "reference/library": await libraryPage(),
    "reference/command": commandPage(),
    "reference/http": await httpPage(),
    "reference/views": viewsPage(),
  };
}

/** What the package exports, as `npm run check` compares it. */
async function libraryPage(): Promise<string> {
  const names = (await readdir(API)).filter((name) => name.endsWith(".api.md")).toSorted();
  const parts = await Promise.all(
    names.map(async (name) => {
      const entry = name.replace(".api.md", "");
      const text = await readFile(path.join(API, name), "utf8");
      const [, code = ""] = /^```ts\n(.*?)^```/ms.exec(text) ?? [];
      return `## ${entry === "index" ? "evalcube" : `evalcube/${entry}`}\n\n${block("ts", code)}`;
    }),
  );
  const more = "`evalcube/arrow` passes on the exports of the apache-arrow that evalcube uses.";
  return `# Library, every export\n\n[The reference](../reference.md) says what they are for. ${more}\n\n${parts.join("\n")}`;
}

const stream = () => Object.assign(new PassThrough(), { isTTY: false, columns: 100 });

/** The help of each command. */
function commandPage(): string {
  const signal = new AbortController().signal;
  const root = program({
    stdin: stream(),
    stdout: stream(),
    stderr: stream(),
    signal,
  });
  const parts = root.commands
    .flatMap((one) => (one.commands.length > 0 ? one.commands : [one]))
    .map((one) => {
      const name =
        one.parent === null || one.parent === root ? one.name() : `${one.parent.name()} ${one.name()}`;
      let help = "";
      one.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 100 });
      one.outputHelp();
      return `## ${name}\n\n${block("text", help)}`;
    });
  return `# Command, every option\n\n[Command](../cli.md) shows them at work.\n\n${parts.join("\n")}`;
}

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly summary?: string; readonly description?: string }>>>
  >;
}

/** Each endpoint, as the service describes itself. */
async function httpPage(): Promise<string> {
  const engine = await openEngine({ threads: 1 });
  const handler = createHttpHandler(engine, { keys: { version: 1, keys: [] } });
  const { paths } = (await (await handler(new Request("http://localhost/openapi.json"))).json()) as OpenApi;
  await engine.close();
  const lines = Object.entries(paths).flatMap(([name, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "parameters")
      .map(([method, { summary, description }]) => {
        const says = (summary ?? description ?? "").split("\n", 1)[0]?.replaceAll("|", "\\|") ?? "";
        return `| \`${method.toUpperCase()} ${name}\` | ${says.replaceAll("<", "&lt;")} |`;
      }),
  );
  const about =
    "A service describes all of it, with schemas and examples, at `GET /openapi.json`; [Service](../service.md) says how it is started.";
  return `# HTTP, every endpoint\n\n${about}\n\n| endpoint | does |\n|---|---|\n${lines.join("\n")}\n`;
}

/** Each view with its columns. */
function viewsPage(): string {
  const parts = Object.entries(VIEWS).map(([name, { record, columns }]) => {
    const lines = Object.entries(columns).map(
      ([column, [type, , says]]) =>
        `| \`${column}\` | ${type} | ${says.replaceAll("|", "\\|").replaceAll("<", "&lt;")} |`,
    );
    return `## ${name}\n\nOne record for ${record}.\n\n| column | type | holds |\n|---|---|---|\n${lines.join("\n")}\n`;
  });
  return `# SQL, every column\n\n[SQL](../sql.md) says how statements are asked.\n\n${parts.join("\n")}`;
}

/** A report of the demo's assistant, as one page. */
export async function demoReport(): Promise<string> {
  const engine = await openEngine({ threads: 1 });
  await engine.ingestCalls(supportCalls());
  const report = await renderReport(engine, support.project);
  await engine.close();
  return report;
}
