/*
 * Prints how often claims beside verdicts are false: `npx tsx bench/levels/claims.ts [--only equivalence] [--projects 800]`.
 * The same number of projects gives the same tables.
 */
import { parseArgs } from "node:util";
import { falseClaims } from "./exact-claims.ts";
import { measureAuto } from "./auto-slices.ts";
import { measureFlaky } from "./flaky.ts";
import { measureUsage } from "./usage.ts";
import { measureKappa } from "./kappa.ts";
import { numbers, rates } from "./designs.ts";
import { measureHistory, measureNext } from "./history.ts";
import { measureLooks } from "./looks.ts";
import { measurePassK } from "./pass-k.ts";
import { measurePlan } from "./plan.ts";
import { measureCosts, measureThirds, measureTools } from "./steps.ts";
import { head, percent, print } from "./table.ts";

const { values } = parseArgs({
  options: { only: { type: "string" }, projects: { type: "string", default: "800" } },
});
const projects = Number(values.projects);
const seed = 20_261_129;

/** The most of every number of rows, at either edge of the margin. */
function equivalence(): void {
  const gains = [0, 0.01, 0.05];
  head(
    "as good, not worse: rows",
    "margin",
    ...gains.map((gained) => `false where ${percent(gained)} gained`),
  );
  for (const [least, most] of [
    [20, 49],
    [50, 199],
    [200, 400],
  ] as const)
    for (const margin of [0.02, 0.05, 0.1, 0.2]) {
      const rows = Array.from({ length: most - least + 1 }, (_, i) => least + i);
      const worst = gains.map((gained) => Math.max(...rows.map((n) => falseClaims({ n, margin, gained }))));
      print([`${least} to ${most}`, ...[margin, ...worst].map(percent)]);
    }
}

async function slices(): Promise<void> {
  head("slices of `auto`: fields", "values", "any false verdict of a slice");
  for (const fields of [1, 3, 6, 10])
    for (const kind of ["true/false", "numbers"] as const) {
      const share = await measureAuto({ fields, kind, projects: 2 * projects, seed });
      print([String(fields), kind, percent(share)]);
    }
}

function flaky(): void {
  head(
    "`flaky>2%`: trials before and now",
    "scores",
    "met where nothing changed",
    "where 25 points more differ",
  );
  const sample = { rows: 60, pairs: 2 * projects, seed };
  for (const trials of [
    [2, 2],
    [2, 3],
    [2, 5],
    [2, 8],
    [5, 2],
  ] as const)
    for (const scores of [1, 20]) {
      const unchanged = measureFlaky({ ...sample, trials, scores, more: 0 });
      const found = scores === 1 ? measureFlaky({ ...sample, trials, scores, more: 0.25 }) : null;
      print([trials.join(" and "), String(scores), percent(unchanged), percent(found)]);
    }
}

function usage(): void {
  head("costs, latency, tokens: rows", "more is used", "figure alone is above", "any of three gates is met");
  for (const rows of [20, 100, 400])
    for (const more of [0, 0.2]) {
      const { shown, point } = measureUsage({ rows, more, pairs: 2 * projects, seed });
      print([String(rows), ...[more, point, shown].map(percent)]);
    }
}

/** Of 85 % right: what several pushes, or several tries of one, let through and stop. */
async function looks(): Promise<void> {
  head(
    "pushes, or attempts of a job",
    "rows",
    "unchanged: `regressed` is met at any",
    "with `--looks`",
    "5 points lost: `not-shown-as-good` passes at any",
    "with `--looks`",
    "10 points lost: `regressed` passes at any",
    "with `--looks`",
  );
  for (const rows of [100, 400])
    for (const times of [1, 3, 5, 10]) {
      const design = rates({ name: "85 % right", rows, rate: 0.85 });
      const sample = { projects: 2 * projects, seed, times, margin: 0.05 };
      const [{ met }, { shown }, { passed }] = [
        await measureLooks(design, { ...sample, loss: 0 }),
        await measureLooks(design, { ...sample, loss: 0.05 }),
        await measureLooks(design, { ...sample, loss: 0.1 }),
      ];
      print([String(times), String(rows), ...[...met, ...shown, ...passed].map(percent)]);
    }
}

const HISTORIES = [
  [rates({ name: "95 % right", rows: 60, rate: 0.95 }), 0.15],
  [rates({ name: "95 % right", rows: 60, rate: 0.95 }), 0.3],
  [rates({ name: "85 % right", rows: 60, rate: 0.85 }), 0.2],
  [rates({ name: "85 % right", rows: 150, rate: 0.85 }), 0.12],
  [rates({ name: "70 % right", rows: 100, rate: 0.7 }), 0.2],
  [rates({ name: "60 % right", rows: 400, rate: 0.6 }), 0.1],
  [numbers("normal", 60, (z) => z), 0.5],
] as const;
/** Runs, and the index of the first that is worse. */
const CHANGES = [
  [4, 1],
  [10, 1],
  [10, 5],
  [10, 8],
  [20, 1],
  [20, 10],
  [20, 18],
] as const;

async function history(): Promise<void> {
  head("unchanged runs of", "rows", "runs", "told worse at any", "at the last");
  for (const [design, loss] of HISTORIES)
    for (const runs of loss === 0.3 ? [] : [10, 30]) {
      const { atAny, atLast } = await measureHistory(design, { chains: projects, seed, runs });
      print([design.name, String(design.rows), String(runs), ...[atAny, atLast].map(percent)]);
    }
  head(
    "one change of",
    "rows",
    "worse by",
    "runs",
    "from run",
    "told at the last",
    "span holds the change",
    "its median",
    "its mean",
  );
  for (const [design, loss] of HISTORIES)
    for (const [runs, place] of CHANGES) {
      const found = await measureHistory(design, { chains: projects / 2, seed, runs, place, loss });
      const { atLast, held, median, mean } = found;
      const chain = [String(design.rows), String(loss), String(runs), String(place + 1)];
      print([design.name, ...chain, percent(atLast), percent(held), String(median), mean.toFixed(1)]);
    }
}

async function next(): Promise<void> {
  head(
    "one more run",
    "rows",
    "worse by",
    '"shows" is said',
    "told where it stays",
    "told where it does not",
  );
  for (const [design, loss] of HISTORIES)
    for (const factor of [0.5, 1, 1.5]) {
      const sample = { chains: projects / 2, seed, loss: factor * loss };
      const { said, stays, recovers } = await measureNext(design, sample);
      const shares = [said, stays, recovers].map((share) => percent(said === 0 ? null : share));
      print([design.name, String(design.rows), (factor * loss).toFixed(3), ...shares]);
    }
}

const PASSED = [0.05, 0.2, 0.5, 0.8, 0.95];

function passK(): void {
  head("pass^k: rows", "trials", "k", "designs", "interval holds on average", "at least");
  for (const [rows, trials, k] of [
    [20, 4, 2],
    [20, 8, 8],
    [50, 4, 4],
    [100, 2, 2],
    [200, 16, 8],
  ] as const) {
    const held = PASSED.flatMap((rate, i) =>
      [1.5, 3].map((spread, j) =>
        measurePassK({ rows, trials, k, rate, spread, runs: 2 * projects, seed: seed + 2 * i + j }),
      ),
    );
    const average = held.reduce((sum, share) => sum + share, 0) / held.length;
    const counts = [rows, trials, k, held.length].map(String);
    print([...counts, percent(average), percent(Math.min(...held))]);
  }
}

function kappa(): void {
  head("kappa: labels", "said true", "kappa", "lower limit above it");
  for (const [labels, rate, truth] of [
    [12, 0.5, 0.4],
    [12, 0.5, 0.9],
    [12, 0.8, 0.6],
    [30, 0.7, 0.8],
    [100, 0.9, 0.6],
    [200, 0.5, 0.6],
  ] as const) {
    const share = measureKappa({ labels, rate, kappa: truth, runs: 5 * projects, seed });
    print([String(labels), percent(rate), String(truth), percent(share)]);
  }
}

async function tools(): Promise<void> {
  head("tools: rows", "trials", "tools", "an association is named where there is none");
  for (const [rows, trials, count] of [
    [20, 1, 8],
    [50, 4, 1],
    [50, 4, 14],
    [200, 1, 14],
    [200, 8, 4],
  ] as const) {
    const share = await measureTools({ rows, trials, tools: count, projects: 2 * projects, seed });
    print([...[rows, trials, count].map(String), percent(share)]);
  }
}

function success(): void {
  head("what a success costs: rows", "trials", "passed", "95 % interval holds");
  for (const rows of [20, 50, 200])
    for (const trials of [1, 4])
      for (const rate of [0.2, 0.5, 0.8]) {
        const held = measureCosts({ rows, trials, rate, projects: 4 * projects, seed });
        print([String(rows), String(trials), percent(rate), percent(held)]);
      }
}

async function thirds(): Promise<void> {
  head("thirds by steps: rows", "trials", "of whom", "equal agents called different");
  for (const [rows, trials] of [
    [60, 1],
    [150, 4],
    [300, 1],
  ] as const)
    for (const by of ["baseline", "earlier"] as const) {
      const share = await measureThirds({ rows, trials, by, projects: 2 * projects, seed });
      print([String(rows), String(trials), by, percent(share)]);
    }
}

/** Rates around so many right, with rows that differ by log odds; and numbers, of which a trial differs by 1. */
const PLANNED = [
  [0.5, 0, 1, 0.2],
  [0.7, 0, 1, 0.1],
  [0.9, 0, 1, 0.05],
  [0.7, 1.5, 1, 0.1],
  [0.7, 1.5, 2, 0.1],
  [0.7, 1.5, 4, 0.2],
  [0.9, 1.5, 2, 0.1],
  [0.95, 3, 4, 0.1],
  [null, 0, 1, 0.9],
  [null, 0, 1, 0.4],
  [null, 0, 4, 0.4],
] as const;

function plan(): void {
  head("plan: right", "rows differ by", "trials", "to detect", "rows", "found, as planned", "found");
  for (const [rate, spread, trials, detect] of PLANNED) {
    const sample = { rate, spread, trials, detect, runs: 5 * projects, seed };
    const { mean, rows, found, shown } = measurePlan(sample);
    const design = [rate === null ? "numbers" : percent(mean), ...[spread, trials, detect, rows].map(String)];
    print([...design, percent(found), percent(shown)]);
  }
}

const SECTIONS = {
  equivalence,
  slices,
  flaky,
  usage,
  looks,
  history,
  next,
  "pass-k": passK,
  kappa,
  plan,
  tools,
  success,
  thirds,
};

for (const [name, section] of Object.entries(SECTIONS))
  if (values.only === undefined || values.only === name) await section();
