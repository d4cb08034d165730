import { PROJECT } from "../weave-requests.ts";
import type { Traffic } from "./traffic.ts";

/** Posts a JSON text to the service. */
type Post = (path: string, body: string) => Promise<Response>;

/** Everything that a service has of these programs, by the names of {@link Traffic}; what is there twice is named twice. */
export async function storedThings(post: Post, programs: readonly Traffic[]): Promise<string[]> {
  const ask = async (path: string, body: object) => {
    const response = await post(path, JSON.stringify({ project_id: PROJECT, ...body }));
    return { status: response.status, text: await response.text() };
  };
  const calls = lines((await ask("/calls/stream_query", { columns: ["id", "ended_at"] })).text);
  const { result } = JSON.parse((await ask("/feedback/query", { limit: 1_000_000 })).text) as {
    result: { id: string }[];
  };
  const { objs } = JSON.parse((await ask("/objs/query", {})).text) as { objs: ObjectLine[] };
  const wanted = new Set(programs.flatMap(({ steps }) => steps.flat().flatMap(({ stores }) => stores)));
  const named: string[] = [];
  for (const name of wanted) {
    const [kind, digest = ""] = name.split(" ");
    if (kind === "file" && (await ask("/file/content", { digest })).status === 200) named.push(name);
    if (kind !== "table") continue;
    const { status, text } = await ask("/table/query", { digest });
    if (status === 200)
      named.push(`table ${digest} of ${(JSON.parse(text) as { rows: unknown[] }).rows.length}`);
  }
  return [
    ...calls.map(({ id }) => `start ${id}`),
    ...calls.filter(({ ended_at: ended }) => ended !== null).map(({ id }) => `end ${id}`),
    ...result.map(({ id }) => `feedback ${id}`),
    ...objs.map(({ object_id, digest }) => `object ${object_id}:${digest}`),
    ...named,
  ];
}

interface ObjectLine {
  readonly object_id: string;
  readonly digest: string;
}

function lines(text: string): CallLine[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as CallLine);
}

interface CallLine {
  readonly id: string;
  readonly ended_at: string | null;
}

/** The names of everything that these programs store, once each. */
export function wantedThings(programs: readonly Traffic[]): string[] {
  return [
    ...new Set(programs.flatMap(({ steps }) => steps.flat().flatMap(({ stores }) => stores))),
  ].toSorted();
}
