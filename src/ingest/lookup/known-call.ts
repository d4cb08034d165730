import type { TurnTaker } from "../../model/turns.ts";
import type { Key } from "../../model/digest.ts";
import type { Call } from "../record/call.ts";
import type { CallReading } from "../record/call-reading.ts";
import type { CallColumns, NameRank, ParsedCall } from "../record/call-record.ts";
import type { RecordText } from "../record/record-text.ts";
import type { IdentityHash } from "./identity-hash.ts";

/** What identifies a call. */
export interface CallIdentity {
  readonly projectKey: number;
  readonly id: string;
  readonly identity: string;
  readonly hash: IdentityHash;
}

/** A call as it stands in the database or in the current batch. */
export interface KnownCall extends CallIdentity {
  readonly key: Key;
  readonly parent: CallIdentity | null;
  readonly text: RecordText;
  readonly hidden: boolean;
  /** Whether the database already has it. */
  readonly isStored: boolean;
  /** Null while only the end of the call is known. */
  readonly call: Call | null;
  readonly columns: CallColumns;
  readonly nameRank: NameRank;
}

/** How long texts leave a record and come back. */
export interface CallTexts {
  /** The record with stubs instead of its long texts; those of `earlier` stay. */
  readonly cut: (record: ParsedCall, self: CallIdentity, earlier?: KnownCall) => Promise<ParsedCall>;
  /** The text with the texts of its stubs. */
  readonly whole: (text: string) => Promise<string>;
}

/** The calls that are stored, as a batch finds them: as they stand after all batches before it. */
export interface StoredCalls {
  readonly reading: CallReading;
  readonly turns: TurnTaker;
  /** The key of a project; a new project gets one. */
  readonly projectKey: (projectId: string) => number | Promise<number>;
  readonly identify: (projectKey: number, id: string) => CallIdentity;
  /** The key of a call that is not stored yet. */
  readonly newKey: (call: CallIdentity) => Key;
  /** Cuts long texts out of records; absent where records are stored whole. */
  readonly texts?: CallTexts | undefined;
  /** Those of the calls that are stored. */
  readonly find: (wanted: readonly CallIdentity[]) => Promise<readonly KnownCall[]>;
  /** The stored calls whose parent is one of these calls. */
  readonly children: (parents: readonly CallIdentity[]) => Promise<readonly KnownCall[]>;
}

/** A call of a load as its later batches find it. */
export function asStored(call: KnownCall): KnownCall {
  return call.isStored ? call : { ...call, isStored: true };
}

/** Those of the calls that a load has met, as it finds them, and the others. */
export function splitMet(
  wanted: readonly CallIdentity[],
  met: (identity: string) => KnownCall | undefined,
): { readonly found: KnownCall[]; readonly others: readonly CallIdentity[] } {
  const found = wanted.flatMap(({ identity }) => met(identity) ?? []).map(asStored);
  return { found, others: wanted.filter(({ identity }) => met(identity) === undefined) };
}

/** A call that is kept for long: the bytes of its text may lie in a block of a source, or in a batch. */
export function withOwnText(call: KnownCall): KnownCall {
  return typeof call.text === "string" ? call : { ...call, text: new Uint8Array(call.text) };
}

/** What identifies a call, without the call. */
export function identityOf({ projectKey, id, identity, hash }: CallIdentity): CallIdentity {
  return { projectKey, id, identity, hash };
}
