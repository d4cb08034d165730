import { request as httpRequest, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { seededRandom } from "../../src/stats/numeric/random.ts";
import { basic } from "../http/running-service.ts";
import { choicesOf } from "./choices.ts";
import { buildProbe, PROBE_NAMES, type Asked, type Probe } from "./probes.ts";
import { ownerState, OWNER, SECRET, startTwoProjects, STRANGER, type TwoProjects } from "./two-projects.ts";

/** What came of many requests across projects. */
export interface Outcome {
  readonly requests: number;
  /** How many requests each probe made. */
  readonly counts: ReadonlyMap<string, number>;
  /** One sentence a request that told what it should not. */
  readonly complaints: readonly string[];
}

/** Asks for the owner's things and for their twins with a stranger's key, in pairs, and compares the answers. */
export async function askAcrossProjects(requests: number, seed: number): Promise<Outcome> {
  const projects = await startTwoProjects();
  try {
    const before = await ownerState(projects);
    const choices = choicesOf(seededRandom(seed));
    const complaints: string[] = [];
    const counts = new Map<string, number>();
    for (let asked = 0; asked < requests; asked += 2) {
      const probe = buildProbe(choices.pick(PROBE_NAMES), projects.ids, choices);
      counts.set(probe.name, (counts.get(probe.name) ?? 0) + 2);
      complaints.push(...(await comparePair(projects, probe)));
    }
    if ((await ownerState(projects)) !== before) complaints.push("what the owner has is not what it was");
    complaints.push(...(await strangersGains(projects)));
    return { requests, counts, complaints };
  } finally {
    await projects.stop();
  }
}

interface Answer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** What an answer to the one request tells that the answer to the other does not. */
async function comparePair(projects: TwoProjects, probe: Probe): Promise<string[]> {
  const foreign = await send(projects, probe.ask(probe.foreign));
  const absent = await send(projects, probe.ask(probe.absent));
  const told = leaks(projects, probe, foreign);
  const [one, other] = [withoutName(foreign, probe.foreign), withoutName(absent, probe.absent)];
  const where = `${probe.name}, ${JSON.stringify(probe.ask(probe.foreign))}`;
  if (foreign.status >= 500) told.push(`status ${foreign.status}`);
  if (one !== other) told.push(`${one} differs from ${other}`);
  return told.map((what) => `${where}: ${what}`);
}

/** Words of the owner's in an answer, but for those that were asked with. */
function leaks({ ids }: TwoProjects, probe: Probe, { headers, body }: Answer): string[] {
  const asked = `${probe.foreign} ${JSON.stringify(probe.ask(probe.foreign))}`.toLowerCase();
  const named = [SECRET, OWNER, ...Object.values(ids).flat()].map((name) => name.toLowerCase());
  const answered = `${headers} ${body}`.toLowerCase();
  return named
    .filter((name) => !asked.includes(name) && !asked.includes(name.replaceAll("-", "")))
    .filter((name) => answered.includes(name))
    .map((name) => `tells ${name}`);
}

const NEW_ID = /"[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"/g;
const NEW_TIME = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"/g;

/** An answer as one text, without what was named in the request and what is new in every answer. */
function withoutName({ status, headers, body }: Answer, name: string): string {
  const plain = body
    .replaceAll(name, "<named>")
    .replaceAll(NEW_ID, '"<new>"')
    .replaceAll(NEW_TIME, '"<now>"');
  return `${status} ${headers.replaceAll(name, "<named>")} ${plain}`;
}

const OWN_HEADERS = new Set(["date", "x-request-id"]);

function send({ service, strangerKey }: TwoProjects, asked: Asked): Promise<Answer> {
  const { scheme, path, body } = asked;
  const headers = {
    authorization: scheme === "Basic" ? basic(strangerKey) : `Bearer ${strangerKey}`,
    "content-type": "application/json",
    ...asked.headers,
  };
  const method = body === undefined ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${service.url}${path}`, { method, headers }, (response) => {
      readAnswer(response).then(resolve, reject);
    });
    sent.on("error", reject).end(body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
  });
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const { statusCode = 0, headers } = response;
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name));
  return { status: statusCode, headers: JSON.stringify(kept), body: await text(response) };
}

/** What a stranger has of the owner's in the end: in the views, counted for its project, or handed to a trainer. */
async function strangersGains({
  engine,
  service,
  ids,
  strangerKeyId,
  handed,
}: TwoProjects): Promise<string[]> {
  const gains: string[] = [];
  for (const view of ["evaluations", "rows", "trials", "scores", "calls", "feedback", "checkpoints"]) {
    const records = (await engine.sql(STRANGER, `select * from ${view}`)).toArray();
    const shown = JSON.stringify(records, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    if (shown.includes(SECRET)) gains.push(`the view ${view} shows what is the owner's`);
  }
  const counted = service.usage.filter(({ keyId, project }) => keyId === strangerKeyId && project === OWNER);
  if (counted.length > 0) gains.push("the stranger's completions are counted for the owner");
  const owned = [...ids.registeredModels, ...ids.unregisteredModels];
  for (const model of owned) {
    const times = handed.filter((one) => one === model).length;
    if (times !== 1) gains.push(`the model ${model} was handed to the trainer ${times} times`);
  }
  return gains;
}
