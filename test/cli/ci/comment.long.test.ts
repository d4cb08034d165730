import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { markerOf } from "../../../src/cli/ci/write-comment.ts";
import { temporaryFolder } from "../command.ts";
import { forge, onGitHub, onGitLab, TOKEN, type ForgeOptions } from "./forge.ts";
import { ci, database, passing, stubJob } from "./runs.ts";

const { folder, remove } = temporaryFolder();
afterAll(remove);
const MARKER = "<!-- evalcube:acme/qa -->";
let db = "";

beforeAll(async () => {
  const base = { id: "base", trials: passing(40, 36) };
  db = await database(folder, "qa.duckdb", [base, { id: "c", trials: passing(40, 20), at: 5 }]);
});

beforeEach(() => {
  for (const name of ["summary.md", "output.txt"]) rmSync(join(folder, name), { force: true });
  return () => vi.unstubAllEnvs();
});

async function commenting(options: ForgeOptions, variables: (address: string) => Record<string, string>) {
  const api = await forge(options);
  stubJob(variables(api.address));
  const ended = await ci(db, "--baseline", "base", "--comment");
  return { ...api, ...ended };
}

const gitHub = (address: string) => onGitHub(folder, address);

it("comments once on GitHub, and edits that comment later", async () => {
  const { sent, held, status, stdout, stderr, address } = await commenting({}, gitHub);
  expect(status).toBe(3);
  expect(stderr).not.toContain("warning");
  expect([...held.values()].map(({ body }) => body)).toEqual([`${MARKER}\n${stdout.trimEnd()}`]);
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /user",
    "GET /repos/acme/qa/issues/7/comments?per_page=100&page=1",
    "POST /repos/acme/qa/issues/7/comments",
  ]);
  expect(sent.every(({ headers }) => headers.authorization === `Bearer ${TOKEN}`)).toBe(true);
  stubJob(gitHub(address));
  await ci(db, "--baseline", "base", "--comment", "--fail-on", "errors>50%");
  expect(held.size).toBe(1);
  expect(held.get(1000)?.body).toMatch(/^<!-- evalcube:acme\/qa -->\n\*\*Passed: /);
  expect(sent.at(-1)).toMatchObject({ method: "PATCH", path: "/repos/acme/qa/issues/comments/1000" });
});

it("writes the step summary and the verdict, with or without a comment", async () => {
  const { stdout } = await commenting({}, (address) => ({ ...gitHub(address), GITHUB_TOKEN: "" }));
  expect(readFileSync(join(folder, "summary.md"), "utf8")).toBe(stdout);
  expect(readFileSync(join(folder, "output.txt"), "utf8")).toBe("verdict=failed\n");
});

it("judges as well where the files of the job cannot be written, and names variables and paths", async () => {
  const none = join(folder, "none", "x.md");
  const { status, stdout, stderr } = await commenting({}, (address) => ({
    ...gitHub(address),
    GITHUB_STEP_SUMMARY: none,
    GITHUB_OUTPUT: folder,
  }));
  expect(status).toBe(3);
  expect(stdout).toMatch(/^\*\*Failed: /);
  expect(stderr.split("\n").slice(0, 2)).toEqual([
    `::warning::GITHUB_STEP_SUMMARY names ${none}, which cannot be written: no such file`,
    `::warning::GITHUB_OUTPUT names ${folder}, which cannot be written: it is a folder`,
  ]);
});

it("follows pages to the end, and leaves comments of others alone", async () => {
  const chat = Array.from({ length: 230 }, (_, i) => ({ id: i, body: `hello ${i}`, by: "ann" }));
  const forged = { id: 500, body: `${MARKER}\nmine`, by: "mallory" };
  const quoted = { id: 501, body: `> ${MARKER}`, by: "robot" };
  const own = { id: 502, body: `${MARKER}\nold`, by: "robot" };
  const { held, sent } = await commenting({ comments: [forged, quoted, ...chat, own] }, gitHub);
  expect(held.size).toBe(233);
  expect(held.get(500)?.body).toBe(forged.body);
  expect(held.get(501)?.body).toBe(quoted.body);
  expect(held.get(502)?.body).toMatch(/\*\*Failed: /);
  expect(sent.filter(({ method }) => method === "GET")).toHaveLength(4);
});

it("uses no comment whose id is no number", async () => {
  const odd = ["../../user/keys", "7", 1.5, -1, 2 ** 53, null, {}].map((id) => ({
    id: id as number,
    body: `${MARKER}\nold`,
    by: "robot",
  }));
  const { sent, held } = await commenting({ comments: odd }, gitHub);
  expect(sent.at(-1)).toMatchObject({ method: "POST", path: "/repos/acme/qa/issues/7/comments" });
  expect(held.get(1000 + odd.length)?.body).toMatch(/\*\*Failed: /);
  const again = { id: 9, body: `${MARKER}\nold`, by: "robot" };
  const edited = await commenting({ comments: [...odd, again] }, gitHub);
  expect(edited.sent.at(-1)).toMatchObject({ method: "PATCH", path: "/repos/acme/qa/issues/comments/9" });
});

it("takes the token for that of the bot of actions where GitHub does not say whose it is", async () => {
  const bot = { id: 5, body: `${MARKER}\nold`, by: "github-actions[bot]" };
  const { held } = await commenting({ comments: [bot], me: null }, gitHub);
  expect(held.size).toBe(1);
  expect(held.get(5)?.body).toMatch(/\*\*Failed: /);
});

it("comments once on GitLab, and edits that comment later", async () => {
  const { held, sent, address } = await commenting({}, onGitLab);
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /user",
    "GET /projects/5/merge_requests/9/notes?per_page=100&page=1",
    "POST /projects/5/merge_requests/9/notes",
  ]);
  expect(sent.every(({ headers }) => headers["private-token"] === TOKEN)).toBe(true);
  stubJob(onGitLab(address));
  await ci(db, "--baseline", "base", "--comment");
  expect(held.size).toBe(1);
  expect(sent.at(-1)).toMatchObject({ method: "PUT", path: "/projects/5/merge_requests/9/notes/1000" });
});

const answering = (status: number, headers = {}): ForgeOptions => ({
  instead: ({ method, path }, response) => {
    if (method === "GET" && path === "/user") return false;
    response.writeHead(status, headers).end(`{"message":"${TOKEN}"}`);
    return true;
  },
});

it.each([401, 403, 404, 500, 503])("ends as without a comment where the API answers %d", async (code) => {
  const { status, stdout, stderr } = await commenting(answering(code), gitHub);
  expect(status).toBe(3);
  expect(stdout).toMatch(/^\*\*Failed: /);
  expect(stderr.split("\n")[0]).toBe(
    `::warning::no comment was written: GET /repos/acme/qa/issues/7/comments was answered with ${code}`,
  );
  expect(stderr + stdout).not.toContain(TOKEN);
});

it("follows no redirect with the token", async () => {
  const thief = await forge();
  const { stderr } = await commenting(answering(302, { location: `${thief.address}/user` }), gitHub);
  expect(thief.sent).toEqual([]);
  expect(stderr).toContain("was answered with 302");
});

it("gives up after 10 s without an answer, and where nothing listens or the token is none", async () => {
  const silent = await commenting({ instead: () => true }, gitHub);
  expect(silent.status).toBe(3);
  expect(silent.stderr).toContain("no comment was written: no answer in 10 s");
  const closed = await commenting({}, () => gitHub("http://127.0.0.1:9"));
  expect(closed.stderr).toContain("no comment was written: the API cannot be reached");
  const broken = `${TOKEN}\nx`;
  const odd = await commenting({}, (address) => ({ ...gitHub(address), GITHUB_TOKEN: broken }));
  expect(odd.stderr).toContain("no comment was written");
  expect(odd.stderr + odd.stdout).not.toContain(TOKEN);
});

it.each<[string, Record<string, string>, string]>([
  ["a push", { GITHUB_EVENT_PATH: "" }, "this is no job of a pull request"],
  ["a fork", { GITHUB_TOKEN: "" }, "GITHUB_TOKEN is not set"],
])("warns once and keeps its status on %s", async (_what, variables, why) => {
  const { status, stderr, sent } = await commenting({}, (address) => ({ ...gitHub(address), ...variables }));
  expect(status).toBe(3);
  expect(stderr.split("\n").filter((line) => line.includes(why))).toHaveLength(1);
  expect(sent).toEqual([]);
});

it("escapes in the marker what an HTML comment cannot hold", () => {
  expect(markerOf("a/b")).toBe("<!-- evalcube:a/b -->");
  expect(markerOf("a/--><b>&--")).toBe("<!-- evalcube:a/&#45;-&#62;&#60;b&#62;&#38;&#45;&#45; -->");
});
