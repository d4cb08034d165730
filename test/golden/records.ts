import { call, root, trial } from "../support/records.ts";

const other = { parent_id: "f" };

/** Two evaluations; scores of all kinds, of one kind here and another there, and a late one. */
export const RECORDS = [
  root("e"),
  root("f"),
  trial("e1", { q: "one" }, { acc: 0.25, ok: true, text: "3", mixed: 1, list: ["x"] }),
  trial("e2", { q: "two" }, { acc: 0.75, ok: false, text: "no", mixed: { in: 1 } }),
  trial("f1", { q: "one" }, { acc: 1e-9, ok: true, mixed: 2 }, other),
  call("s", {
    parent_id: "f1",
    op_name: "late.score",
    attributes: { svc: { score: true } },
    output: { ok: true },
  }),
];
