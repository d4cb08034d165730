import { createHttpHandler, openEngine, type EngineOptions } from "../../src/index.ts";

const byText = (a: string, b: string) => (a < b ? -1 : 1);

/** A service over an engine of its own, to which spans are sent. */
export async function spanService(projects: readonly string[] = ["acme/qa"], options: EngineOptions = {}) {
  const engine = await openEngine(options);
  const handle = createHttpHandler(engine, {
    authenticate: () => ({ user: "ann", projects: [...projects] }),
  });
  const post = async (path: string, body: Uint8Array | string, headers: Record<string, string> = {}) => {
    const request = new Request(`http://localhost${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: body as BodyInit,
    });
    const answer = await handle(request);
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, type: answer.headers.get("content-type"), bytes, text: bytes.toString() };
  };
  /** The evaluations by name and all that is said of their trials, whose number is told. */
  const told = async () => {
    const evaluations = await engine.listEvaluations("acme/qa");
    const results = await engine.queryEvalResultsJson("acme/qa", {
      evaluation_call_ids: evaluations.map(({ id }) => id),
      include_raw_data_rows: true,
      include_summary: true,
    });
    return { names: evaluations.map(({ display_name: name }) => name ?? "").sort(byText), results };
  };
  return { engine, post, told };
}
