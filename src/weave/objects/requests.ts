import { z } from "zod";
import { projectId, textList } from "../../model/arguments.ts";
import { MOST_SORT_KEYS } from "../conditions/order.ts";

/** Letters and digits of any script, underscore, point and hyphen. */
const objectId = z
  .string()
  .regex(/^[\p{L}\p{N}_.-]{1,128}$/u, "must be 1 to 128 letters, digits, _, . or -")
  .meta({ examples: ["sums"] });

const texts = textList.nullish();

export const createObjectRequest = z
  .looseObject({
    obj: z.looseObject({
      project_id: projectId,
      object_id: objectId,
      val: z.unknown(),
      builtin_object_class: z.null().optional(),
      expected_digest: z.string().nullish(),
    }),
  })
  .meta({ id: "WeaveObjectCreate" });

export const readObjectRequest = z
  .looseObject({
    project_id: projectId,
    object_id: z.string(),
    digest: z.string().meta({ description: "A digest, `latest`, or `v` and the number of the version" }),
    metadata_only: z.boolean().nullish(),
  })
  .meta({ id: "WeaveObjectRead" });

export const queryObjectsRequest = z
  .looseObject({
    project_id: projectId,
    filter: z
      .looseObject({
        object_ids: texts,
        is_op: z.boolean().nullish(),
        latest_only: z.boolean().nullish(),
        base_object_classes: texts,
        exclude_base_object_classes: texts,
        leaf_object_classes: texts,
        tags: z.unknown().optional(),
        aliases: z.unknown().optional(),
      })
      .nullish(),
    limit: z.int().nonnegative().nullish(),
    offset: z.int().nonnegative().nullish(),
    sort_by: z
      .array(
        z.looseObject({
          field: z.enum(["object_id", "created_at"]),
          direction: z.enum(["asc", "desc"]).nullish(),
        }),
      )
      .max(MOST_SORT_KEYS)
      .nullish(),
    metadata_only: z.boolean().nullish(),
  })
  .meta({ id: "WeaveObjectQuery" });

const version = z
  .looseObject({
    project_id: projectId,
    object_id: z.string(),
    digest: z.string(),
    created_at: z.string().meta({ format: "date-time" }),
    version_index: z.int(),
    is_latest: z.int(),
    kind: z.enum(["op", "object"]),
    base_object_class: z.string().nullable(),
    leaf_object_class: z.string().nullable(),
    val: z.unknown(),
  })
  .meta({ id: "WeaveObject" });

export const objectCreated = z
  .object({ digest: z.string(), object_id: z.string() })
  .meta({ id: "WeaveObjectCreated" });
export const objectReply = z.object({ obj: version }).meta({ id: "WeaveObjectReply" });
export const objectsReply = z.object({ objs: z.array(version) }).meta({ id: "WeaveObjectsReply" });
