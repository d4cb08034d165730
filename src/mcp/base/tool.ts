import type { z } from "zod";
import type { Engine } from "../../engine/api.ts";
import type { ASK_STORED, AskStored } from "../../request/stored-question.ts";
import type { ReportEngine } from "../../view/make-report.ts";

/** What the tools, and the service that has them, ask of an engine; all of it reads. */
export type McpEngine = ReportEngine &
  Pick<Engine, "countEvaluations" | "leaderboard" | "agreement" | "planRows" | "steps" | "exportSql">;

/** What a service offers beside, where its engine has it. */
export type OfferedEngine = Partial<
  Pick<Engine, "explain" | "exportResults" | "ingestFile" | "deleteEvaluations" | "info" | "backup"> & {
    readonly [ASK_STORED]: AskStored;
  }
>;

/** A call of a tool. */
export interface Asked<Arguments> {
  /** It knows the projects alone that the caller may name. */
  readonly engine: McpEngine;
  readonly project: string;
  /** The arguments: checked, and without `project`, `max_bytes` and `cursor`. */
  readonly given: Arguments;
  /** How many items came before. */
  readonly offset: number;
  /** The most bytes that the answer may take. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * A command line that gives the same figures: what follows `evalcube`, without `--db`, and what it reads, if anything.
 */
interface CommandRequest {
  readonly argv: readonly string[];
  readonly stdin: object | null;
}

/** An answer before it is cut to its size. */
export interface Answered {
  readonly warnings?: readonly string[];
  /** What can be left for the next page: all items, or those from `first` on as far as they were read. */
  readonly items: readonly unknown[];
  readonly first?: number;
  /** How many items there are in all; default: those. */
  readonly total?: number;
  /** One sentence an entry; given how many items are shown. */
  readonly says: (shown: number) => readonly string[];
  readonly data: (items: readonly unknown[]) => object;
  /** null where no command answers this; `cut`: whether items that were read are left out. */
  readonly request: (cut: boolean) => CommandRequest | null;
}

/** A question that an agent can ask. */
export interface Tool<Shape extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Its arguments, with `project` and `cursor` where it takes them. */
  readonly input: Shape;
  /** Whether texts of models or of datasets stand in its data. */
  readonly quotes: boolean;
  /** A method, so that a table may hold tools of different arguments, which are checked before. */
  run(asked: Asked<z.output<z.ZodObject<Shape>>>): Promise<Answered>;
}

/** An entry of a table of tools with different arguments. */
export function tool<Shape extends z.ZodRawShape>(one: Tool<Shape>): Tool {
  return one;
}

/** What a command of this name reads to give the same figures. */
export function commandRequest(command: string, project: string, stdin: object): CommandRequest {
  return { argv: [command, "--project", project, "--format", "json", "-"], stdin };
}
