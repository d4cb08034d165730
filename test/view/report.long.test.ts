import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine, type Engine } from "../../src/index.ts";
import { makeReport, renderReport } from "../../src/view/make-report.ts";
import { countText, differenceText, meanText, probabilityText } from "../../src/words/figures.ts";
import { hostileTexts } from "../support/hostile-texts.ts";
import { call, trial } from "../support/records.ts";
import { refusal } from "../support/refusal.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
  await engine.ingestCalls([...plainCalls(), ...shapes()]);
});
afterAll(() => engine.close());

const evaluation = (project: string, id: string, name: string | null = null) =>
  call(id, { project_id: project, op_name: "Evaluation.evaluate", display_name: name });

/** The i-th row of an evaluation; its id is unique in all projects. */
const rowOf = (project: string, parent: string, i: number, scores: object, output: unknown = null) =>
  trial(
    `${parent}-${i}`,
    { question: `row ${i}` },
    {},
    {
      project_id: project,
      parent_id: parent,
      output: { output, scores },
    },
  );

const NAMES = ["first", "second", "third", "fourth"];

/** Four evaluations of 30 rows; the last ran only half of them, and some trials have no score. */
function plainCalls(): object[] {
  return NAMES.flatMap((id, e) => [
    evaluation("acme/plain", id, `model ${id}`),
    ...Array.from({ length: e === 3 ? 15 : 30 }, (_, i) => {
      const scores = i === 4 && e === 2 ? {} : { correct: (i * 7) % 10 < 8 - 2 * e, points: i + e / 3 };
      return rowOf("acme/plain", id, i, scores, `answer ${e} to ${i}: ${"words ".repeat(40 + i)}`);
    }),
  ]);
}

function shapes(): object[] {
  return [
    evaluation("acme/untried", "untried"),
    evaluation("acme/texts", "texts-1"),
    rowOf("acme/texts", "texts-1", 0, { tone: "calm" }),
    evaluation("acme/one", "one-1", "the only one"),
    ...[0, 1, 2].map((i) => rowOf("acme/one", "one-1", i, { correct: i > 0 })),
    ...["apart-1", "apart-2"].flatMap((id, e) => [
      evaluation("acme/apart", id),
      ...[0, 1].map((i) => rowOf("acme/apart", id, i + e, { correct: true })),
    ]),
    ...["again", "whole"].map((id) => evaluation("acme/retried", id)),
    ...[0, 1, 2, 3, 4, 5].map((i) => rowOf("acme/retried", "whole", i, { correct: true })),
    ...[0, 1, 2].map((i) => rowOf("acme/retried", "again", i, i === 0 ? { correct: true } : {})),
    { ...rowOf("acme/retried", "again", 0, { correct: true }), id: "again-0-again" },
    ...["scored", "unscored"].flatMap((id, e) => [
      evaluation("acme/unscored", id),
      ...[0, 1, 2].map((i) =>
        rowOf("acme/unscored", id, i, e === 0 ? { correct: i > 0, points: i / 3 } : {}),
      ),
    ]),
    ...["thrice", "once"].map((id) => evaluation("acme/thrice", id)),
    ...Array.from({ length: 10 }, (_, i) => rowOf("acme/thrice", "once", i, { correct: true })),
    ...Array.from({ length: 30 }, (_, i) => ({
      ...rowOf("acme/thrice", "thrice", i % 10, i < 10 ? {} : { correct: i % 2 > 0 }),
      id: `thrice-${i}`,
    })),
    ...["timeless", "timed"].flatMap((id, e) => [
      evaluation(`acme/${id}`, id),
      ...[0, 1].flatMap((i) => [
        rowOf(`acme/${id}`, id, i, { correct: i > 0 }),
        call(`${id}-${i}-p`, {
          project_id: `acme/${id}`,
          parent_id: `${id}-${i}`,
          op_name: "Model.predict",
          ended_at: `2026-01-01T00:00:0${e * i}Z`,
        }),
      ]),
    ]),
    evaluation("acme/nameless", "nameless-1"),
    evaluation("acme/nameless", "nameless-2"),
    ...[1, 2].flatMap((e) => [0, 1, 2].map((i) => rowOf("acme/nameless", `nameless-${e}`, i, { "": i < e }))),
    ...Array.from({ length: 201 }, (_, i) => [
      evaluation("acme/many", `many-${i}`),
      ...[0, 1, 2].map((k) => rowOf("acme/many", `many-${i}`, k, { correct: (i + k) % 3 > 0 })),
    ]).flat(),
    ...["hostile-1", "hostile-2"].flatMap((id, e) => [
      evaluation("acme/hostile", id, `<b onclick="x">${id}</b>&lt;`),
      ...hostileTexts.map((text, i) =>
        rowOf("acme/hostile", id, i, { [text]: i % 2 === e, "</script>": i % 2 === e }, `</script>${text}`),
      ),
    ]),
  ];
}

/** The cells of a named table of the page, line by line, as text. */
function tableOf(html: string, name: string): string[][] {
  const [, body = ""] = new RegExp(`<table aria-label="${name}[^>]*>(.*?)</table>`, "s").exec(html) ?? [];
  const lines = body.split("<tr").slice(1);
  return lines.map((line) =>
    Array.from(line.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs), ([, cell = ""]) => textOf(cell)),
  );
}

function textOf(html: string): string {
  const shown = html.replaceAll(/<span class="unseen">[^<]*<\/span>/g, "").replaceAll(/<svg.*?<\/svg>/gs, "");
  return shown
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&")
    .trim();
}

const headlineOf = (html: string) => textOf(/<p class="headline">(.*?)<\/p>/s.exec(html)?.[1] ?? "");
const pageOf = (html: string) =>
  html.slice(html.indexOf("<body>"), html.indexOf('<script type="application/json"'));

describe("a report", () => {
  it("has on its leaderboard and among its differences what the library answers", async () => {
    const html = await renderReport(engine, "acme/plain", { scorers: ["correct"], baseline: "second" });
    const { summary } = await engine.queryEvalResults("acme/plain", {
      evaluation_call_ids: NAMES,
      include_rows: false,
      include_summary: true,
      include_uncertainty: true,
    });
    const stats = new Map(
      summary?.evaluations.map((one) => [
        one.display_name ?? "",
        one.scorer_stats.find((own) => own.scorer_key === "correct"),
      ]),
    );
    const [, ...leaders] = tableOf(html, "Leaderboard");
    expect(leaders).toHaveLength(4);
    for (const [name = "", mean, , rows] of leaders) {
      const own = stats.get(name);
      expect([mean, rows]).toEqual([
        meanText(own?.row_mean ?? null, "binary"),
        countText(own?.scored_row_count ?? 0),
      ]);
    }
    const { comparisons } = await engine.compareEvaluations("acme/plain", {
      baseline: "second",
      candidates: ["first", "third", "fourth"],
      scorers: ["correct"],
    });
    const [, ...differences] = tableOf(html, "Differences from model second");
    for (const one of comparisons) {
      const line = differences.find(([name]) => name === `model ${one.candidate}`);
      expect([line?.[1], line?.[4], line?.[6]]).toEqual([
        differenceText(one.difference, "binary"),
        probabilityText(one.p_value_adjusted),
        countText(one.n_common),
      ]);
    }
    expect(tableOf(html, "Missing and failed trials").slice(1)).toEqual([
      ["model third", "30", "29", "0", "0", "1", "0"],
      ["model fourth", "15", "15", "0", "0", "0", "15"],
    ]);
  });

  it("counts the rows that were not run where rows have unlike numbers of trials", async () => {
    const [retried, thrice] = [
      await renderReport(engine, "acme/retried", {}),
      await renderReport(engine, "acme/thrice", {}),
    ];
    const title = "Missing and failed trials";
    expect(tableOf(retried, title)[1]).toEqual(["again", "4", "2", "0", "0", "2", "3"]);
    expect(tableOf(thrice, title)[1]).toEqual(["thrice", "30", "20", "0", "0", "10", "0"]);
  });

  it("says of an evaluation without the score that no trial of it has a value", async () => {
    const html = await renderReport(engine, "acme/unscored", {});
    expect(tableOf(html, "Leaderboard").map((line) => [line[0], ...line.slice(3, 5)])).toEqual([
      ["Evaluation", "Rows", "No value"],
      ["scored", "3", "–"],
      ["unscored", "–", "3"],
    ]);
    expect(tableOf(html, "Missing and failed trials")[1]?.slice(0, 3)).toEqual(["unscored", "3", "0"]);
    expect(html).toContain('aria-label="rows: 3 no value"');
    const points = await renderReport(engine, "acme/unscored", { scorers: ["points"] });
    expect(points).toContain('<bdi>unscored</bdi></figcaption><p class="hint">no value</p>');
  });

  it("shows what was used, but not times that are all 0", async () => {
    const timed = await renderReport(engine, "acme/timed", {});
    const timeless = await renderReport(engine, "acme/timeless", {});
    expect([timed, timeless].map((html) => pageOf(html).includes("Cost and speed"))).toEqual([true, false]);
  });

  it("shows a score without a name", async () => {
    const html = await renderReport(engine, "acme/nameless", {});
    expect(
      tableOf(html, "Leaderboard")
        .slice(1)
        .map(([name, mean]) => [name, mean]),
    ).toEqual([
      ["nameless-2", "66.7%"],
      ["nameless-1", "33.3%"],
    ]);
  });

  it("names its distribution as the section, and refuses a title without text", async () => {
    const html = await renderReport(engine, "acme/one", {});
    expect(html).toContain('<table aria-label="Distribution of correct"');
    await expect(renderReport(engine, "acme/one", { title: " " })).rejects.toThrow("title");
  });

  it("begins with the score that is asked for, and compares all without naming any", async () => {
    const { html, answers } = await makeReport(engine, "acme/plain", { score: "points" });
    expect(headlineOf(html)).toMatch(/highest mean of points:/);
    const question = { baseline: answers.baseline, baseline_is_best: answers.comparison?.ranks != null };
    const all = await makeReport(engine, "acme/plain", question);
    expect(headlineOf(all.html)).not.toMatch(/highest mean of points/);
    expect(answers.items?.scorer_key).toBe("points");
    expect(answers).toEqual({ ...all.answers, question: { score: "points" }, items: answers.items });
    expect(html).toMatch(/higher|lower/);
  });

  it("frames characters of tags, which hide words in a name", async () => {
    const html = await renderReport(engine, "acme/one", { title: "plain\u{e0041}" });
    expect(textOf(/<h1>(.*?)<\/h1>/s.exec(html)?.[1] ?? "")).toBe("plainU+E0041");
  });

  it("frames controls in its title, and cuts between characters", async () => {
    const turned = await renderReport(engine, "acme/one", { title: "plain\u202e" });
    expect(turned).toContain("<title>plain[U+202E]</title>");
    const long = await renderReport(engine, "acme/one", { title: `\u202e${"𝒳".repeat(500)}` });
    expect(pageOf(long)).toContain('<bdi title="[U+202E]𝒳');
    expect(pageOf(long).isWellFormed()).toBe(true);
    expect(long).toMatch(/<title>\[U\+202E\]𝒳+…𝒳+<\/title>/u);
  });

  it("is the same text each time", async () => {
    const options = { title: "A title", pass_k: [1, 2] };
    const first = await renderReport(engine, "acme/plain", options);
    expect(await renderReport(engine, "acme/plain", options)).toBe(first);
    expect(first).toContain("<title>A title</title>");
  });

  it("holds the library's answers for programs", async () => {
    const html = await renderReport(engine, "acme/plain", { scorers: ["points"] });
    const [, json = ""] =
      /<script type="application\/json" id="evalcube-report">(.*?)<\/script>/s.exec(html) ?? [];
    const { format, project, comparison } = JSON.parse(json) as Record<string, unknown>;
    const wanted = await engine.compareEvaluations("acme/plain", {
      baseline: "fourth",
      candidates: ["first", "second", "third"],
      scorers: ["points"],
      by: "auto",
    });
    const best = { format, project, comparison };
    expect(best).toMatchObject({ format: 1, project: "acme/plain" });
    expect(Object.keys(comparison as object)).toEqual(Object.keys(wanted));
  });

  it("stays under its size with as many outputs as fit, and says how many those are", async () => {
    const all = await makeReport(engine, "acme/plain", { outputs: "all" });
    const none = await makeReport(engine, "acme/plain", { outputs: "none" });
    expect([all.rows.withOutputs, none.rows.withOutputs]).toEqual([30, 0]);
    const most = Math.round((Buffer.byteLength(all.html) + Buffer.byteLength(none.html)) / 2);
    const some = await makeReport(engine, "acme/plain", { max_bytes: most });
    expect(Buffer.byteLength(some.html)).toBeLessThanOrEqual(most);
    expect(some.rows.withOutputs).toBeGreaterThan(0);
    expect(some.rows.withOutputs).toBeLessThan(30);
    const little = await makeReport(engine, "acme/plain", { max_bytes: 1000 });
    expect(little.rows.left).toMatchObject({ inputs: "none", outputs: "none" });
  });

  it.each([
    ["acme/empty", /^There is no evaluation to show\. Load/],
    ["acme/untried", /^No evaluation here has a trial\./],
    ["acme/texts", /^All scores here are text\./],
    ["acme/one", /^the only one has 66\.7% in correct, 95% interval .* over 3 rows\.$/],
    ["acme/apart", /^Too few rows to compare apart-2 with apart-1 in correct\.$/],
  ])("of %s says what there is to say", async (project, headline) => {
    expect(headlineOf(await renderReport(engine, project, {}))).toMatch(headline);
  });

  it("shows 200 evaluations, and refuses one more", async () => {
    const evaluations = Array.from({ length: 200 }, (_, i) => `many-${i}`);
    const { html, answers } = await makeReport(engine, "acme/many", { evaluations });
    expect(tableOf(html, "Leaderboard")).toHaveLength(201);
    expect(answers.comparison?.comparisons).toHaveLength(199);
    const far = { baseline: answers.baseline ?? "", candidates: ["many-150", "many-199"] };
    const { comparisons } = await engine.compareEvaluations("acme/many", far);
    const shared = answers.comparison?.comparisons.filter(({ candidate }) =>
      far.candidates.includes(candidate),
    );
    expect(shared?.map((one) => [one.candidate, one.n_common, one.difference, one.rows_improved])).toEqual(
      comparisons.map((one) => [one.candidate, one.n_common, one.difference, one.rows_improved]),
    );
    const error = await refusal(renderReport(engine, "acme/many", {}));
    expect(error.message).toMatch(/at most 200 evaluations, not 201/);
  });

  it("has no markup and no attribute of style made of the data", async () => {
    const html = await renderReport(engine, "acme/hostile", {});
    expect(html.match(/<\/script>/g)).toHaveLength(3);
    const page = pageOf(html);
    expect(/ style=|<b |<img|<script|onclick="/.exec(page)?.[0]).toBeUndefined();
    for (const shown of ["&lt;b onclick=", '<span class="control">U+001F</span>'])
      expect(page.includes(shown), shown).toBe(true);
  });

  it.each([
    ["an unknown member", { evaluation: ["first"] }, /evaluation/],
    ["an unknown evaluation", { evaluations: ["gone"] }, /"gone" is not in this project/],
    [
      "a baseline that is not shown",
      { evaluations: ["first"], baseline: "second" },
      /none of the evaluations/,
    ],
    ["an unknown score to begin with", { score: "speed" }, /no trial has a score "speed"/],
    ["an unknown score", { evaluations: ["first"], scorers: ["speed"] }, /no trial has a score "speed"/],
    ["filters of a wrong shape", { filters: [{}] }, /filters/],
  ])("is refused for %s", async (_what, options, message) => {
    expect((await refusal(renderReport(engine, "acme/plain", options as object))).message).toMatch(message);
  });
});
