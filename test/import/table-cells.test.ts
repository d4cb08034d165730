import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { answerOf, importBytes } from "./imports.ts";
import { sharedEngine } from "./shared.ts";

const engine = await sharedEngine();

describe("the measures of a table", () => {
  it.each([
    ["latencyMs", "cost", 0.03, 30],
    ["Latency (ms)", "cost_usd", 0.03, 30],
    ["duration_minutes", "cost_cents", 1800, 0.3],
    ["latency_us", "cost_eur", 0.00003, null],
    ["latency", "cost", 30, 30],
  ])("are in the units that their names say: %s and %s", async (latency, cost, seconds, dollars) => {
    const task = `${latency} ${cost}`;
    const text = `id,model,score,${latency},${cost}\n1,m,1,30,30\n`;
    const { evaluations, notes } = await importBytes(engine, text, { table: { taskName: task } });
    const { rows } = await answerOf(engine, evaluations[0]?.evaluation_call_id ?? "");
    const [trial] = rows[0]?.evaluations[0]?.trials ?? [];
    expect(trial?.model_latency_seconds).toBeCloseTo(seconds, 12);
    const outputs = await engine.sql("acme/qa", "select id, output from calls");
    const stored = outputs.toArray().find(({ id }) => id === trial?.predict_and_score_call_id);
    expect((JSON.parse(String(stored?.["output"])) as { cost_usd?: number }).cost_usd ?? null).toBe(dollars);
    expect(notes.join().includes("costs in EUR are left out")).toBe(dollars === null);
  });
});

describe("the errors of a table", () => {
  it.each([
    ["CSV", ["", "None", "False", "0", "nan", "[]"].map((cell, i) => `${i},m,1,${cell}`)],
    ["NDJSON", [null, false, 0, {}, [], "null"].map((error, id) => ({ id, model: "m", score: 1, error }))],
  ])("are none where a cell in %s says that there is none", async (format, records) => {
    const failed = format === "CSV" ? "9,m,,timeout" : { id: 9, model: "m", error: { code: 429 } };
    const lines = [...(format === "CSV" ? ["id,model,score,error"] : []), ...records, failed];
    const text = lines.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n");
    const { evaluations } = await importBytes(engine, text, { dryRun: true });
    expect(evaluations).toMatchObject([{ trials: 7, errors: 1 }]);
  });
});

describe("a table with cells that cannot be", () => {
  const MEASURED = "id,model,score,latency,total_tokens,cost_usd,started_at\n1,m,1,1.5,7,0.25,1760000000\n";
  const LATENCY = "0 to 1,000,000,000 are allowed";

  it.each([
    ["1.5", "1e300", "latency", `a latency of 1e+300 seconds; ${LATENCY}`],
    ["1.5", "-2", "latency", `a latency of -2 seconds; ${LATENCY}`],
    ["7", "-1", "total_tokens", "a count of -1 tokens; 0 to 9,007,199,254,740,991 are allowed"],
    ["7", "99999999999999999999", "total_tokens", "a count of 99999999999999999999 tokens"],
    ["0.25", "-0.5", "cost_usd", "a cost of -0.5 US dollars; 0 to 1,000,000,000,000 are allowed"],
    ["1760000000", "1e300", "started_at", "the years 0 to 9599 are allowed"],
    ["1760000000", "-1e17", "started_at", "the years 0 to 9599 are allowed"],
  ])(
    "with %s replaced by %s is refused by line and column, or read without it",
    async (from, to, column, reason) => {
      const text = `${MEASURED}2,${MEASURED.split("\n")[1]?.slice(2).replace(from, to)}\n`;
      const place = `line 3, column "${column}"`;
      await expect(importBytes(engine, text)).rejects.toMatchObject({
        name: "ImportError",
        code: "invalid",
        place,
      });
      await expect(importBytes(engine, text)).rejects.toThrow(reason);
      const rest = await importBytes(engine, text, { onInvalid: "skip", dryRun: true });
      expect(rest).toMatchObject({ evaluations: [{ trials: 1 }], rejected: [{ place }] });
    },
  );

  it.each([
    [
      "a quote behind a cell",
      '2,"m"x,1',
      /line 3: is not CSV: behind the closing quote of a cell stands more/,
    ],
    ["a quote within a cell", '2,m"x,1', /line 3: is not CSV: a quote stands in a cell/],
    ["a formula of Excel", '2,="1",1', /line 3: is not CSV: a quote stands in a cell/],
    ["a cell that does not end", '2,"m,1', /is not CSV: a quoted cell does not end/],
  ])("with %s is refused with how to write it", async (_, line, reason) => {
    const text = `id,model,score\n1,m,1\n${line}\n3,m,1\n`;
    await expect(importBytes(engine, text)).rejects.toThrow(reason);
    const first = importBytes(engine, `id,model,score\n${line}\n`, { format: "table" });
    await expect(first).rejects.toThrow("is not CSV");
  });

  it("is read without a record that is none, and refused by its line otherwise", async () => {
    const text = '{"id": 1, "score": 1}\n{"id": 2, "score": NaN}\n{"id": 3, "sc';
    const place = "line 3";
    await expect(importBytes(engine, text)).rejects.toMatchObject({ code: "invalid", place });
    const rest = await importBytes(engine, text, { onInvalid: "skip", dryRun: true });
    expect(rest).toMatchObject({ evaluations: [{ trials: 2 }], rejected: [{ place }] });
    expect(rest.notes).toContain("NaN and infinities are no value: score (1)");
    const latin = Buffer.from("id,question,score\n1,a,1\n2,caf\u00e9\u0081,1\n", "latin1");
    const refused = importBytes(engine, latin);
    await expect(refused).rejects.toThrow("line 3: is not UTF-8: save it in that encoding");
  });

  it("is read where its first record is longer than what tells its format", async () => {
    const text = `id;question;score\n1;${"x, ".repeat(100_000)};1\n2;y;0\n`;
    const { evaluations } = await importBytes(engine, text, { dryRun: true });
    expect(evaluations).toMatchObject([{ trials: 2, scorers: ["score"] }]);
  });

  it("says which times, latencies and tokens it cannot read", async () => {
    const text =
      "id,model,score,latency,total_tokens,started_at\n1,m,1,fast,7,2026-01-01T00:00:00Z\n2,m,1,2,8,yesterday\n";
    const { notes } = await importBytes(engine, text, { dryRun: true });
    expect(notes).toContain('latency: 1 of 2 records have a text and no value: line 2 "fast"');
    expect(notes).toContain(
      "started_at: 1 records have neither an ISO 8601 time nor a number, the first at line 3; their times are unknown",
    );
  });
});
