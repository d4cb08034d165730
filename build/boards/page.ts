import type { LeaderboardEntry, PriceList } from "../../src/index.ts";
import type { AgentFigures, BoardFigures } from "./figures.ts";
import type { Board } from "./sources.ts";

const NONE = "–";
const percent = (share: number | null | undefined) =>
  share === null || share === undefined ? NONE : `${(100 * share).toFixed(1)} %`;
const points = (share: number | null) => (share === null ? NONE : (100 * share).toFixed(1));
const count = (value: number) => Math.round(value).toLocaleString("en");

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
  return [head, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Half of the interval of the mean over tasks. */
function halfOf({ scores }: LeaderboardEntry): number | null {
  const interval = scores[0]?.confidence_interval;
  return interval === null || interval === undefined ? null : (interval[1] - interval[0]) / 2;
}

function rankOf({ rank_interval: rank }: LeaderboardEntry): string {
  if (rank === null) return NONE;
  return rank[0] === rank[1] ? String(rank[0]) : `${rank[0]}–${rank[1]}`;
}

/** When a page was computed, and what a million tokens of each agent cost. */
export interface Setting {
  readonly date: string;
  readonly prices: PriceList | null;
}

/** The page of a board, in Markdown. */
export function pageOf(name: string, board: Board, figures: BoardFigures, { date, prices }: Setting): string {
  const { agents, tasks, agreeing } = figures;
  const parts = [
    `## ${board.title}`,
    `Source: ${board.address}; licence: ${board.licence}. \`npm run boards -- --board ${name}\` computed this on ${date} from a local copy: ` +
      `${agents.length} ${agents.length === 1 ? "agent" : "agents"}, ${tasks} tasks.${agreeing === null ? "" : ` ${agreeing} figures that the source states agree with its attempts.`}`,
    rankTable(agents),
    agents.length > 1 ? RANKS : HALVES,
    "### All of k attempts succeed",
    passTable(agents),
    "### What tells nothing apart",
    nothingApart(figures),
    "### What one more run would change",
    runsTable(figures),
    runsText(agents.length > 1),
    ...costParts(agents, prices),
  ];
  return `${parts.join("\n\n")}\n`;
}

const HALVES = "± is half of the 95 % interval of the mean over tasks.";
const RANKS = `${HALVES} A rank is where the agent may stand, all ranks together at 95 %; a tier begins where an agent is shown worse than the first one of the tier above.`;
const runsText = (isRanked: boolean) =>
  `Each cell has half of the interval in points${isRanked ? ", and the rank," : ""} with the first runs alone. The last two columns follow ` +
  "from how attempts differ within tasks and between them: by them no number of runs makes an interval narrower than the last column; more tasks do.";

function rankTable(agents: readonly AgentFigures[]): string {
  const ranks = agents.length > 1 ? ["rank", "tier"] : [];
  return table(
    ["agent", "succeeded", "share of tasks", ...ranks],
    agents.map(({ agent, resolved, attempts, entry }) => [
      agent,
      `${resolved} of ${attempts}`,
      `${percent(entry.scores[0]?.row_mean)} ± ${points(halfOf(entry))}`,
      ...[rankOf(entry), entry.tier === null ? NONE : String(entry.tier)].slice(0, ranks.length),
    ]),
  );
}

function passTable(agents: readonly AgentFigures[]): string {
  const most = Math.max(...agents.map(({ passHatK }) => passHatK.length));
  const ks = Array.from({ length: most }, (_, n) => n);
  return table(
    ["agent", ...ks.map((k) => `k = ${k + 1}`)],
    agents.map(({ agent, passHatK }) => [agent, ...ks.map((k) => percent(passHatK[k]))]),
  );
}

const listed = (names: readonly string[]) => (names.length === 0 ? "" : `: ${names.join(", ")}`);

function nothingApart({ tasks, always, never, odd }: BoardFigures): string {
  const suspects = odd.map(({ task, discrimination }) => `${task} (${discrimination.toFixed(2)})`);
  const told = "Tasks that worse agents do better at, the first to read (correlation):";
  return [
    `Of ${tasks} tasks, ${always.length + never.length} tell nothing apart.`,
    "",
    `- ${always.length} succeed in every attempt${listed(always)}`,
    `- ${never.length} succeed in none${listed(never)}`,
    ...(suspects.length === 0 ? [] : ["", `${told} ${suspects.join(", ")}.`]),
  ].join("\n");
}

function runsTable({ agents, byRuns }: BoardFigures): string {
  const head = byRuns.map((_, n) => (n === 0 ? "1 run" : `${n + 1} runs`));
  return table(
    ["agent", ...head, "one more", "any number"],
    agents.map(({ agent, entry, spread: { between, within } }) => {
      const measured = byRuns.map((entries) => {
        const one = entries.get(agent);
        if (one === undefined) return NONE;
        return [`± ${points(halfOf(one))}`, ...(agents.length > 1 ? [rankOf(one)] : [])].join(", ");
      });
      const half = halfOf(entry);
      const variance = (runs: number) => between + within / runs;
      const expected = (runs: number) =>
        half === null || variance(byRuns.length) === 0
          ? NONE
          : `± ${points(half * Math.sqrt(variance(runs) / variance(byRuns.length)))}`;
      return [agent, ...measured, expected(byRuns.length + 1), expected(Infinity)];
    }),
  );
}

/** Tokens and costs of a success, where the source tells them of all attempts. */
function costParts(agents: readonly AgentFigures[], prices: PriceList | null): string[] {
  const lines = agents.flatMap(({ agent, resolved, usage }) => {
    if (usage === null || resolved === 0) return [];
    const price = prices?.[agent];
    const cost = price === undefined ? null : (usage.input * price.input + usage.output * price.output) / 1e6;
    const tokens = count((usage.input + usage.output) / resolved);
    return [[agent, tokens, cost === null ? NONE : (cost / resolved).toFixed(4)]];
  });
  const title = "### What a success costs";
  return lines.length === 0
    ? [title, "The source does not tell the tokens of all attempts, so no cost of a success is given."]
    : [title, table(["agent", "tokens", "cost by `--prices`"], lines)];
}
