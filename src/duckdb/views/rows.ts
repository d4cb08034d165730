import type { View } from "./view.ts";

/** The stored row, else the first inline example. */
export const ROW_VALUE = "coalesce(r.val, r.inline_example)::JSON";

export const rows: View = {
  record: "a dataset row that trials refer to or hold, or that was loaded",
  owner: "r.project_key",
  from: () => "main.rows AS r",
  where: "(r.referenced OR r.val IS NOT NULL OR r.inline_example IS NOT NULL)",
  columns: {
    row_digest: ["VARCHAR", "r.digest", "its digest"],
    value: [
      "JSON",
      ROW_VALUE,
      "the row as it was stored, else as the first trial holds it",
      undefined,
      "r.text_bytes",
    ],
  },
};
