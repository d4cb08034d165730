import { tableFromIPC } from "apache-arrow";
import type { Engine } from "../engine/api.ts";
import type { ColumnsHead, ColumnsPart } from "../engine/table/columns.ts";
import { TABLE_RULES } from "../engine/table/table.ts";
import { checkOptions, checkProjectId } from "../flow/check-options.ts";
import { readFramed } from "../flow/framed.ts";
import { questionOf } from "./answers.ts";
import type { RemoteSession } from "./session.ts";

type BatchKind = Exclude<ColumnsPart["kind"], "head">;

/** A result as narrow tables. */
export function remoteColumns({ connection, pieces }: RemoteSession): Pick<Engine, "queryColumns"> {
  return {
    queryColumns: async function* (projectId, request, options = {}) {
      checkOptions(options, TABLE_RULES);
      checkProjectId(projectId);
      const question = questionOf(projectId, "eval_results/columns", request);
      yield* pieces<ColumnsPart>(async (write, signal) => {
        const sent = { method: "POST", ...question, again: true, comes: "application/octet-stream" } as const;
        const { chunks } = await connection.open(sent, signal);
        for await (const { kind, bytes } of readFramed(chunks)) {
          if (kind === "warnings") for (const one of jsonOf(bytes) as string[]) options.onWarning?.(one);
          else if (kind === "head") await write(jsonOf(bytes) as ColumnsHead);
          else
            for (const batch of tableFromIPC(bytes).batches) await write({ kind: kind as BatchKind, batch });
        }
      }, options.signal);
    },
  };
}

function jsonOf(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString("utf8"));
}
