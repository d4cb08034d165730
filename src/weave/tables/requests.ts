import { z } from "zod";
import { projectId, textList } from "../../model/arguments.ts";
import { sortOrder } from "../conditions/order.ts";

export const tableRow = z.looseObject({});
const index = z.int().nonnegative();

export const createTableRequest = z
  .looseObject({
    table: z.looseObject({
      project_id: projectId,
      rows: z.array(tableRow),
      expected_digest: z.string().nullish(),
    }),
  })
  .meta({ id: "WeaveTableCreate" });

export const tableFromDigestsRequest = z
  .looseObject({
    project_id: projectId,
    row_digests: textList,
    expected_digest: z.string().nullish(),
  })
  .meta({ id: "WeaveTableFromDigests" });

export const updateTableRequest = z
  .looseObject({
    project_id: projectId,
    base_digest: z.string(),
    updates: z.array(
      z.union([
        z.looseObject({ append: z.looseObject({ row: tableRow }) }),
        z.looseObject({ pop: z.looseObject({ index }) }),
        z.looseObject({ insert: z.looseObject({ index, row: tableRow }) }),
      ]),
    ),
  })
  .meta({ id: "WeaveTableUpdate" });

export const queryTableRequest = z
  .looseObject({
    project_id: projectId,
    digest: z.string(),
    filter: z.looseObject({ row_digests: textList.nullish() }).nullish(),
    limit: index.nullish(),
    offset: index.nullish(),
    sort_by: sortOrder,
  })
  .meta({ id: "WeaveTableQuery" });

export const tableStatsRequest = z
  .looseObject({ project_id: projectId, digest: z.string() })
  .meta({ id: "WeaveTableStats" });

const digest = z.string();

export const tableCreated = z
  .object({ digest, row_digests: z.array(digest) })
  .meta({ id: "WeaveTableCreated" });
export const tableDigestReply = z.object({ digest }).meta({ id: "WeaveDigest" });
export const tableUpdated = z
  .object({ digest, updated_row_digests: z.array(digest) })
  .meta({ id: "WeaveTableUpdated" });
export const tableRowsReply = z
  .object({ rows: z.array(z.object({ digest, val: z.unknown(), original_index: z.int() })) })
  .meta({ id: "WeaveTableRows" });
export const countReply = z.object({ count: z.int() }).meta({ id: "WeaveCount" });
