import type { Answers } from "../model/answers.ts";
import type { RowsState } from "../row-parts/rows-state.ts";
import type { Order, Show } from "../rows/row-source.ts";

/** The state of a page as its address tells it; what it leaves to the page is null. */
export interface Address extends RowsState {
  readonly project: string | null;
  /** Which runs are shown; null: those that the page chooses, or that other members name. */
  readonly runs: RunsChoice | null;
  /** Whose latest two runs; null: the first of them. */
  readonly name: string | null;
  /** Ids of the evaluations in their order; null: all. */
  readonly evaluations: readonly string[] | null;
  readonly baseline: string | null;
  /** The score that is shown; null: the first that tells evaluations apart. */
  readonly score: string | null;
  readonly lower_is_better: readonly string[] | null;
  readonly higher_is_better: readonly string[] | null;
  /** A field of the rows, of which each value is a cluster; null: rows are independent. */
  readonly cluster_by: string | null;
  /** Fields that slice the comparison, or `nothing`; null: they are chosen. */
  readonly by: readonly string[] | null;
  /** The request's `filters` as JSON text; empty: none. */
  readonly filters: string;
}

/** The ways to choose runs. */
export type RunsChoice = Answers["runs"];

const RUNS: readonly RunsChoice[] = ["latest", "names", "all", "chosen"];

/** What members are called in an address, in their order. */
const NAMES: Readonly<Record<keyof Address, string>> = {
  project: "project",
  runs: "runs",
  name: "name",
  evaluations: "evaluation",
  baseline: "baseline",
  score: "scorer",
  lower_is_better: "lower-is-better",
  higher_is_better: "higher-is-better",
  cluster_by: "cluster-by",
  by: "by",
  show: "show",
  order: "order",
  search: "search",
  filters: "filters",
  row: "row",
  with: "with",
  attempts: "attempt",
};

const SHOWS: readonly Show[] = ["all", "differ", "better", "worse", "missing"];

/** The fragment of an address, without `#`; what is at its default is left out. */
export function writeAddress(address: Address): string {
  const { show, order } = address;
  const texts = { ...address, show: show === "all" ? null : show, order: orderText(order) };
  const members = new URLSearchParams();
  for (const member of Object.keys(NAMES) as (keyof Address)[])
    for (const text of [texts[member] ?? []].flat()) if (text !== "") members.append(NAMES[member], text);
  return members.toString();
}

/** The state that a fragment tells, and the members that name nothing, which count as left out. */
export function readAddress(fragment: string): { readonly address: Address; readonly unknown: string[] } {
  const members = new URLSearchParams(fragment.replace(/^#/, ""));
  // A key is no state: it is taken out of the address.
  const known = new Set([...Object.values(NAMES), "key"]);
  const unknown = [...new Set(members.keys())].filter((name) => !known.has(name));
  const text = (member: keyof Address) => members.get(NAMES[member]);
  const list = (member: keyof Address) => {
    const texts = members.getAll(NAMES[member]);
    return texts.length === 0 ? null : texts;
  };
  const show = SHOWS.find((one) => one === text("show"));
  const order = readOrder(text("order"));
  const runs = RUNS.find((one) => one === text("runs"));
  if (members.has("runs") && runs === undefined) unknown.push("runs");
  if (members.has("show") && show === undefined) unknown.push("show");
  if (members.has("order") && order === null) unknown.push("order");
  return {
    address: {
      project: text("project"),
      runs: runs ?? null,
      name: text("name"),
      evaluations: list("evaluations"),
      baseline: text("baseline"),
      score: text("score"),
      lower_is_better: list("lower_is_better"),
      higher_is_better: list("higher_is_better"),
      cluster_by: text("cluster_by"),
      by: list("by"),
      filters: text("filters") ?? "",
      show: show ?? "all",
      order: order ?? "difference",
      search: text("search") ?? "",
      row: text("row"),
      with: [...new Set(list("with"))].slice(0, 2),
      attempts: [...new Set(list("attempts"))].slice(0, 3),
    },
    unknown,
  };
}

/** The state of an address that tells nothing. */
export const START = readAddress("").address;

function orderText(order: Order): string | null {
  if (typeof order === "string") return order === "difference" ? null : order;
  const way = order.direction === "desc" ? "" : "-asc";
  return `evaluation${way}:${order.evaluation}`;
}

function readOrder(text: string | null): Order | null {
  if (text === "mean" || text === "stored" || text === "difference") return text;
  const [, way, evaluation] = /^evaluation(-asc)?:(.+)$/su.exec(text ?? "") ?? [];
  if (evaluation === undefined) return null;
  return { evaluation, direction: way === undefined ? "desc" : "asc" };
}
