import type { Inference } from "../../inference/passthrough.ts";
import type { UsageSink } from "../../inference/usage/usage.ts";
import type { Feedback } from "../../feedback/feedback.ts";
import type { Training } from "../../training/training.ts";
import type { Weave } from "../../weave/weave.ts";
import type { BundledPage } from "../../view-files.ts";
import type { McpEngine, OfferedEngine } from "../../mcp/base/tool.ts";
import { unknownPath } from "../errors/http-error.ts";
import type { BackupState } from "../backups/timed-backups.ts";
import type { Authenticator } from "../keys/authenticator.ts";
import type { AnswerPlace } from "../log/trace.ts";
import type { LargeBodyTurn } from "../wire/places.ts";

/** What the service needs of an engine. */
export interface ServiceEngine extends Omit<McpEngine, "exportSql">, OfferedEngine {
  /** The response to a request as JSON text, in pieces. */
  readonly streamEvalResults: (
    projectId: string,
    request: unknown,
    options?: { readonly signal?: AbortSignal | undefined },
  ) => AsyncGenerator<string, void, undefined>;
  /** Writes the result of a statement to a stream; without it agents are not answered. */
  readonly exportSql?: McpEngine["exportSql"];
  readonly feedback: Feedback;
  readonly training: Training;
  /** Sink that counts the usage of completions. */
  readonly usage?: UsageSink;
  /** What SDKs of W&B Weave ask; without it their endpoints answer 404. */
  readonly weave?: Weave;
  /** Stores calls; needed only where served completions are recorded. */
  readonly ingestCalls?: (calls: readonly unknown[]) => Promise<unknown>;
}

/** A member that the engine has; throws 404 where it has not. */
export function offered<T>(member: T | undefined): T {
  if (member === undefined) throw unknownPath();
  return member;
}

/** Largest accepted bodies: in bytes, but for `values`. */
export interface BodyLimits {
  readonly chat: number;
  readonly training: number;
  readonly other: number;
  /** Calls, objects and tables of SDKs of W&B Weave. */
  readonly weave: number;
  /** Files of these SDKs. */
  readonly file: number;
  /** JSON values in one body, or in one item of a list that is read item by item. */
  readonly values: number;
  /** A call, an object or a row of these SDKs, or half a trajectory of a job. */
  readonly item: number;
}

/** The dependencies of the routes. */
export interface Service {
  readonly engine: ServiceEngine;
  /** What is known of the backups that the service makes by itself; null where it makes none. */
  readonly backup: () => BackupState | null;
  readonly inference: Inference;
  readonly limits: BodyLimits;
  /** A place among the answers under way, for one request. */
  readonly place: () => AnswerPlace;
  readonly authenticate: Authenticator;
  /** Begins the part of a request in the order of large bodies. */
  readonly largeBodies: () => LargeBodyTurn;
  /** Absent where the page is not served. */
  readonly page?: ServedPage;
}

/** The page that a service shows. */
export interface ServedPage {
  /** Gives its files; called when the first of them is asked for. */
  readonly load: () => Promise<BundledPage>;
  /** Whether the service has a key of its own, which tabs give to each other. */
  readonly ownKey: boolean;
}
