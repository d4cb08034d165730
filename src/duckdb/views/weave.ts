import type { View } from "./view.ts";

export const objects: View = {
  record: "a version of an object: a model, scorer, dataset or op that an SDK of W&B Weave published",
  owner: "o.project_id",
  from: () => "main.object_versions AS o",
  columns: {
    object_id: ["VARCHAR", "o.object_id", "name of the object"],
    digest: ["VARCHAR", "o.digest", "digest of the version"],
    version_index: ["INTEGER", "o.version_index", "number of the version, from 0"],
    created_at: ["TIMESTAMP WITH TIME ZONE", "o.created_at", "when it was published"],
    kind: ["VARCHAR", "o.kind", "`op` or `object`"],
    base_object_class: ["VARCHAR", "o.base_object_class", "its class below `Object`"],
    leaf_object_class: ["VARCHAR", "o.leaf_object_class", "its own class"],
    svc_user_id: ["VARCHAR", "o.user_id", "who published it"],
    value: ["JSON", "CASE WHEN json_valid(o.val) THEN o.val::JSON END", "what was published"],
  },
};

export const tables: View = {
  record: "a table that an SDK of W&B Weave stored; its rows are in `rows`",
  owner: "t.project_id",
  from: () => "main.row_tables AS t",
  columns: {
    digest: ["VARCHAR", "t.digest", "its digest"],
    created_at: ["TIMESTAMP WITH TIME ZONE", "t.created_at", "when it was stored"],
    row_count: ["BIGINT", "len(t.row_digests)", "how many rows it has"],
    row_digests: ["JSON", "to_json(t.row_digests)", "a list of digests in the order of the table"],
  },
};
