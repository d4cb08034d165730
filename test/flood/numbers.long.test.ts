import { afterAll, beforeAll, expect, it } from "vitest";
import { openService } from "./http-subject.ts";
import { rightRequest, type HttpTarget } from "./http-requests.ts";

/** Numbers that no double holds. */
const NUMBERS = ["1e400", "-1e400", "1e-400", "1234567890".repeat(4)];
const MARK = '"the number"';

let service: Awaited<ReturnType<typeof openService>>;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

/** The body as JSON text, once for each value inside it, with a mark instead of that value; also one more member in each object. */
function* markedBodies(body: unknown, rest: (inner: string) => string = (inner) => inner): Generator<string> {
  yield rest(MARK);
  if (typeof body !== "object" || body === null) return;
  const isList = Array.isArray(body);
  if (!isList) yield rest(JSON.stringify({ ...body, more: "" }).replace(/""\}$/, `${MARK}}`));
  for (const [name, value] of Object.entries(body)) {
    const around = (inner: string) => {
      const copy = Object.assign(isList ? [] : {}, body, { [name]: "the place" });
      return rest(JSON.stringify(copy).replace('"the place"', () => inner));
    };
    yield* markedBodies(value, around);
  }
}

async function faultsAt(target: HttpTarget): Promise<string[]> {
  const right = rightRequest(target, service.key);
  const faults: string[] = [];
  for (const marked of markedBodies(target.body))
    for (const number of NUMBERS) {
      const text = marked.replace(MARK, () => number);
      const { status, body } = await service.send({ ...right, body: Buffer.from(text) });
      if (status >= 500 || status < 200) faults.push(`${status} ${text} -> ${body}`);
    }
  return faults;
}

it("no number beyond a double is a fault of the service, wherever it stands in a body", async () => {
  const faults: string[] = [];
  for (const target of service.targets) if (target.body !== null) faults.push(...(await faultsAt(target)));
  expect(faults).toEqual([]);
});
