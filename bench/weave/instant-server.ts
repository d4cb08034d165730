import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/*
 * A server of the SDKs of W&B Weave that stores nothing and answers at once: what a program takes against it, the program takes
 * itself. It says no more than an SDK needs to go on.
 */
const DIGEST = "YTYlqmU0Pbsbmr5qusZ3P1yRvWDT8vX34urmnh24sic";
const TABLE = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

interface Body {
  readonly table?: { readonly rows: readonly unknown[] };
  readonly obj?: { readonly object_id: string };
  readonly start?: { readonly id: string; readonly trace_id: string };
  readonly batch?: readonly { readonly id?: string }[];
}

const ANSWERS: readonly (readonly [path: RegExp, answer: (text: string) => unknown])[] = [
  [/\/server_info$/, () => ({ min_required_weave_python_version: "0.51.0", trace_server_version: "0" })],
  [/\/graphql$/, (text) => (text.includes("viewer") ? VIEWER : PROJECT)],
  [/\/projects_info$/, () => []],
  [/\/file\/create$/, () => ({ digest: DIGEST })],
  [/\/obj\/create$/, (text) => ({ digest: DIGEST, object_id: bodyOf(text).obj?.object_id })],
  [
    /\/table\/create$/,
    (text) => ({
      digest: TABLE,
      row_digests: bodyOf(text).table?.rows.map((_, i) => `${DIGEST.slice(6)}${i + 100_000}`),
    }),
  ],
  [/\/table\/create_from_digests$/, () => ({ digest: TABLE })],
  [/\/call\/start$/, (text) => ({ id: bodyOf(text).start?.id, trace_id: bodyOf(text).start?.trace_id })],
  [
    /\/feedback\/batch\/create$/,
    (text) => ({
      res: bodyOf(text).batch?.map(({ id }) => ({ id, created_at: NOW, wb_user_id: "ann", payload: {} })),
    }),
  ],
];

const NOW = "2026-01-01T00:00:00.000000Z";
const VIEWER = { data: { viewer: { username: "ann", defaultEntity: { name: "acme" } } } };
const PROJECT = { data: { project: { name: "weave" } } };

function bodyOf(text: string): Body {
  return JSON.parse(text) as Body;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const answer = ANSWERS.find(([path]) => path.test(request.url ?? ""))?.[1];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(answer === undefined ? "{}" : JSON.stringify(answer(Buffer.concat(chunks).toString())));
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => process.exit(0));
