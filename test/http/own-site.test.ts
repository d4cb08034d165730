import { afterAll, beforeAll, expect, it } from "vitest";
import { allRoutes } from "../../src/http/all-routes.ts";
import { startWeave, type WeaveService } from "../weave/service.ts";
import { formOf } from "../support/cut-bodies.ts";

let service: WeaveService;
beforeAll(async () => {
  service = await startWeave();
});
afterAll(() => service.stop());

/** Stores a file, as a form of a page does that a browser with a key shows. */
function sendForm(headers: Readonly<Record<string, string>>, path = "/file/create"): Promise<Response> {
  const { type, body } = formOf("acme/qa", "print(1)");
  const sent = { authorization: service.ann, "content-type": type, ...headers };
  return fetch(service.url + path, { method: "POST", headers: sent, body: new Uint8Array(body) });
}

it.each([
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
  { "sec-fetch-site": "same-site", origin: "https://evil.example" },
  { origin: "https://evil.example" },
  { origin: "http://127.0.0.1:1" },
  { origin: "null" },
  { origin: "" },
])("a page of another site stores nothing: %o", async (headers) => {
  const answer = await sendForm(headers);
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain("A page of another site");
});

it("a page of the service, a browser's address bar and a program store", async () => {
  const own = { origin: service.url };
  const behindProxy = { "sec-fetch-site": "same-origin", origin: "https://evals.example" };
  for (const headers of [{}, own, behindProxy, { "sec-fetch-site": "none" }])
    expect((await sendForm(headers)).status).toBe(200);
});

it("every endpoint that writes refuses another site, and that of agents; none that reads besides", async () => {
  const refused: string[] = [];
  const posts = allRoutes("/").filter(({ method }) => method === "POST");
  for (const route of posts) {
    const path = route.path.replace("{entity}/{project}", "acme/qa");
    const isBearer = route.access === "bearer";
    const headers = {
      "sec-fetch-site": "cross-site",
      ...(isBearer ? { authorization: service.annBearer } : {}),
    };
    const answer = await sendForm(headers, path);
    if ((await answer.text()).includes("A page of another site")) refused.push(route.id);
  }
  const reading = posts.filter((route) => route.access !== "public" && route.reads === true);
  expect(refused.toSorted()).toEqual(
    posts
      .filter((route) => !reading.includes(route) || route.id === "mcp")
      .map(({ id }) => id)
      .toSorted(),
  );
  expect(reading.map(({ id }) => id).toSorted()).toEqual([
    "agreement",
    "askStored",
    "compareEvaluations",
    "explainEvalResults",
    "exportResults",
    "history",
    "items",
    "leaderboard",
    "mcp",
    "planRows",
    "queryColumns",
    "queryEvalResults",
    "renderReport",
    "runStatement",
    "steps",
    "viewEvaluations",
    "weaveCountCalls",
    "weaveCountTable",
    "weaveFeedbackAggregate",
    "weaveFeedbackStats",
    "weaveGraphql",
    "weavePayloadSchema",
    "weaveProjects",
    "weaveQueryCosts",
    "weaveQueryFeedback",
    "weaveQueryObjects",
    "weaveQueryTable",
    "weaveReadCall",
    "weaveReadFile",
    "weaveReadObject",
    "weaveReadReferences",
    "weaveStreamCalls",
  ]);
});
