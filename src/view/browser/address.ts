import type { Order, Show } from "../rows/row-source.ts";

/** The state of a page as its address tells it. */
export interface Address {
  readonly project: string | null;
  /** Ids of the evaluations in their order; null: all. */
  readonly evaluations: readonly string[] | null;
  readonly baseline: string | null;
  /** The score that is shown; null: the first that tells evaluations apart. */
  readonly score: string | null;
  readonly lowerIsBetter: readonly string[];
  readonly higherIsBetter: readonly string[];
  /** A field of the rows, of which each value is a cluster; null: rows are independent. */
  readonly clusterBy: string | null;
  /** Fields that slice the comparison, or `nothing`; none: they are chosen. */
  readonly by: readonly string[];
  /** The request's `filters` as JSON text; empty: none. */
  readonly filters: string;
  readonly show: Show;
  readonly order: Order;
  readonly search: string;
  /** Digest of the open row. */
  readonly row: string | null;
  /** Ids of at most two evaluations that are compared with the baseline; the first is the candidate of the page. */
  readonly with: readonly string[];
}

export const START: Address = {
  project: null,
  evaluations: null,
  baseline: null,
  score: null,
  lowerIsBetter: [],
  higherIsBetter: [],
  clusterBy: null,
  by: [],
  filters: "",
  show: "all",
  order: "difference",
  search: "",
  row: null,
  with: [],
};

const SHOWS: readonly Show[] = ["all", "differ", "better", "worse", "missing"];

/** The fragment of an address, without `#`; what is at its default is left out. */
export function writeAddress(address: Address): string {
  const members = new URLSearchParams();
  const set = (name: string, value: string | null) => {
    if (value !== null && value !== "") members.append(name, value);
  };
  set("project", address.project);
  for (const id of address.evaluations ?? []) set("evaluation", id);
  set("baseline", address.baseline);
  set("scorer", address.score);
  for (const name of address.lowerIsBetter) set("lower-is-better", name);
  for (const name of address.higherIsBetter) set("higher-is-better", name);
  set("cluster-by", address.clusterBy);
  for (const field of address.by) set("by", field);
  set("show", address.show === "all" ? null : address.show);
  set("order", orderText(address.order));
  set("search", address.search);
  set("filters", address.filters);
  set("row", address.row);
  for (const id of address.with) set("with", id);
  return members.toString();
}

/** The state that a fragment tells, and the members that name nothing, which count as left out. */
export function readAddress(fragment: string): { readonly address: Address; readonly unknown: string[] } {
  const members = new URLSearchParams(fragment.replace(/^#/, ""));
  const unknown = [...new Set(members.keys())].filter((name) => !READ.has(name));
  const evaluations = members.getAll("evaluation");
  const show = SHOWS.find((one) => one === members.get("show"));
  const order = readOrder(members.get("order"));
  if (members.has("show") && show === undefined) unknown.push("show");
  if (members.has("order") && order === null) unknown.push("order");
  return {
    address: {
      project: members.get("project"),
      evaluations: evaluations.length === 0 ? null : evaluations,
      baseline: members.get("baseline"),
      score: members.get("scorer"),
      lowerIsBetter: members.getAll("lower-is-better"),
      higherIsBetter: members.getAll("higher-is-better"),
      clusterBy: members.get("cluster-by"),
      by: members.getAll("by"),
      filters: members.get("filters") ?? "",
      show: show ?? START.show,
      order: order ?? START.order,
      search: members.get("search") ?? "",
      row: members.get("row"),
      with: [...new Set(members.getAll("with"))].slice(0, 2),
    },
    unknown,
  };
}

const READ = new Set([
  "project",
  "evaluation",
  "baseline",
  "scorer",
  "lower-is-better",
  "higher-is-better",
  "cluster-by",
  "by",
  "show",
  "order",
  "search",
  "filters",
  "row",
  "with",
  // No state: it is taken out of the address.
  "key",
]);

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
