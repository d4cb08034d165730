import { EvalcubeError, IngestError } from "../../../errors.ts";
import { InvalidRecord } from "../../../ingest/record/invalid-record.ts";

/** An error as plain data: classes of this package do not survive the way to another thread. */
export type PackedError =
  | {
      readonly kind: "record";
      readonly source: string;
      readonly position: number;
      readonly path: readonly (string | number)[];
      readonly reason: string;
      /** Null where it is the refusal of the record itself. */
      readonly cause: unknown;
    }
  | { readonly kind: "package"; readonly code: string; readonly message: string; readonly cause: unknown }
  /** A statement failed; the engine knows why. */
  | { readonly kind: "statement" }
  | { readonly kind: "other"; readonly error: unknown };

/** Thrown in the thread where the engine could not do what it was asked. */
export class StatementFailed extends Error {}

export function packError(error: unknown): PackedError {
  if (error instanceof StatementFailed) return { kind: "statement" };
  if (error instanceof IngestError) {
    const { source, position, path, cause } = error;
    const place = new IngestError(source, position, path, "").message;
    const reason = error.message.slice(place.length);
    return {
      kind: "record",
      source,
      position,
      path,
      reason,
      cause: cause instanceof InvalidRecord ? null : cause,
    };
  }
  if (error instanceof EvalcubeError) {
    const { code, message, cause } = error;
    return { kind: "package", code, message, cause };
  }
  return { kind: "other", error };
}

/** `failed`: why the statement failed, where one did. */
export function unpackError(packed: PackedError, failed: unknown): unknown {
  switch (packed.kind) {
    case "record": {
      const { source, position, path, reason } = packed;
      const cause = packed.cause ?? new InvalidRecord(path, reason);
      return new IngestError(source, position, path, reason, { cause });
    }
    case "package":
      return new EvalcubeError(packed.code, packed.message, { cause: packed.cause });
    case "statement":
      return failed;
    case "other":
      return packed.error;
  }
}
