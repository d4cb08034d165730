import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { LogSource } from "../format.ts";
import { fileDigest } from "../read/file-digest.ts";
import type { SourceFile } from "../read/source-file.ts";
import {
  chooseRun,
  freeName,
  plainFile,
  placedRoot,
  storedRun,
  type ChosenRun,
  type FileIdentity,
  type StoredRun,
} from "./choose-run.ts";
import type { LogEvaluation } from "../translate/log-parts.ts";
import type { PlacedRoot } from "../translate/translate-log.ts";
import { parseJson, type JsonObject } from "../../model/json.ts";
import { formatTimestamp } from "../../model/timestamp.ts";

/**
 * What the sources of one command gave of the runs that it names: the hash of each call, its source, and of a run the
 * time of its file.
 */
export type NamedParts = Map<
  string,
  { readonly hash: string; readonly source: string; readonly fileTime?: string }
>;

/** Calls of some ids, as they are stored. */
export interface FoundCalls {
  readonly records: ReadonlyMap<string, string>;
  /** The ids of those that are hidden. */
  readonly hidden: ReadonlySet<string>;
}

/** What is stored of the runs of a project. */
export interface StoredRuns {
  /** The root calls of all runs of a task with a model. */
  readonly roots: (task: string, model: string) => Promise<readonly JsonObject[]>;
  readonly calls: (ids: readonly string[]) => Promise<FoundCalls>;
  readonly trialCount: (root: string) => Promise<number>;
  /** Ids of the calls of a run, without its root, in parts. */
  readonly callIds: (root: string) => AsyncIterable<readonly string[]>;
}

/** A source of runs, and what is stored. */
interface RunSource {
  readonly stored: StoredRuns;
  readonly name: string;
  /** What it is called in names of evaluations. */
  readonly title: string;
  readonly log: Pick<LogSource, "file" | "head" | "parts">;
  readonly parts: NamedParts;
  readonly replace: boolean;
  readonly note: (text: string) => void;
}

/** The run of an evaluation. `isNamed`: several sources of a command may be its parts. */
export interface PlacedRun extends Pick<ChosenRun, "stored" | "replaces"> {
  readonly isNamed: boolean;
}

/** Finds the run of each evaluation of a source. */
export class RunPlaces {
  /** The runs by the ids of their root calls. */
  readonly runs = new Map<string, PlacedRun>();
  readonly #from: RunSource;
  readonly #now = new Date().toISOString();
  #identity: FileIdentity | null = null;

  constructor(from: RunSource) {
    this.#from = from;
  }

  /** The root call of an evaluation under the id of its run. */
  async place(evaluation: LogEvaluation, root: JsonObject): Promise<PlacedRoot> {
    const { id: key, knownBy, model } = evaluation;
    const { self } = root["inputs"] as { readonly self: string };
    if (knownBy === "file")
      return await this.#ofFile(key, root, (await this.#from.stored.roots(self, model)).map(storedRun));
    const before = (await this.#from.stored.calls([key])).records.get(key);
    const stored = before === undefined ? null : storedRun(parseJson(before) as JsonObject);
    const isNamed = knownBy === "name";
    // A run that an earlier source of the command is part of goes on.
    const replaces = isNamed && this.#from.replace && stored !== null && !this.#from.parts.has(key);
    const fileTime = stored?.fileTime ?? this.#from.parts.get(key)?.fileTime ?? this.#fileTime();
    if (isNamed && !this.#from.parts.has(key))
      this.#from.parts.set(key, { hash: "", source: this.#from.name, fileTime });
    this.runs.set(key, { stored, replaces, isNamed });
    const name = stored?.name ?? (root["display_name"] as string);
    const since = stored === null ? this.#now : stored.importedAt;
    const origin = {
      ...fileOf(stored),
      ...(since === null ? {} : { imported_at: since }),
    };
    return placedRoot(root, key, name, origin, fileTime);
  }

  async #ofFile(key: string, root: JsonObject, runs: readonly StoredRun[]): Promise<PlacedRoot> {
    const own = (this.#identity ??= await this.#identify());
    const beginsWith = async ({ length, content, files }: StoredRun) =>
      own.files === null
        ? (await fileDigest(this.#from.log.file, length)) === content
        : files !== null && holdsAll(own.files, files);
    const chosen = await chooseRun(key, own, runs, this.#from.replace, beginsWith);
    const { id, stored, before } = chosen;
    this.runs.set(id, { stored, replaces: chosen.replaces, isNamed: false });
    if (before !== null)
      this.#from.note(
        `the file held something else when it was imported as ${before.name} (${before.id})${onDay(before)}; this is a new run, --replace puts it in the place of that one`,
      );
    const isSame = stored?.content === own.content;
    const { content, length, file, files } = isSame ? stored : own;
    const identity = { content, length, file, ...(files === null ? {} : { files }) };
    const origin = {
      run: key,
      ...identity,
      imported_at: isSame ? stored.importedAt : this.#now,
      ...fileOf(stored),
    };
    const name = stored?.name ?? this.#newName(root, runs, own);
    return placedRoot(root, id, name, origin, stored?.fileTime ?? this.#fileTime());
  }

  /**
   * When the file was last written, else now. A stored run keeps the time that it has: a copy of its file changes
   * nothing.
   */
  #fileTime(): string {
    const { modifiedAt } = this.#from.log.file;
    return modifiedAt === null ? this.#now : formatTimestamp(modifiedAt);
  }

  #newName(root: JsonObject, runs: readonly StoredRun[], { file }: FileIdentity): string {
    const folder = this.#from.log.head.folders.at(-1) ?? null;
    return freeName(root["display_name"] as string, runs, { title: this.#from.title, folder, file });
  }

  async #identify(): Promise<FileIdentity> {
    const { file, head, parts } = this.#from.log;
    // Bytes from elsewhere lie in no folder, and a run of several files may lie in any.
    const isMany = file.path === null && parts.length > 0;
    const real = isMany || head.folders.length === 0 ? null : await realName(this.#from.name);
    return {
      content: await fileDigest(file),
      length: file.size,
      file: real === null ? null : createHash("sha256").update(real).digest("hex"),
      files: isMany ? await shortLines(file) : null,
      name: isMany ? null : plainFile(this.#from.name),
    };
  }
}

const SHORT = 16;

/** The first characters of each line, joined. */
async function shortLines(file: SourceFile): Promise<string> {
  const lines = (await file.read(0, file.size)).toString("latin1").split("\n");
  return lines.map((line) => line.slice(0, SHORT)).join("");
}

/** Whether all files of one run are among those of another. */
function holdsAll(own: string, stored: string): boolean {
  const all = new Set(piecesOf(own));
  return piecesOf(stored).every((one) => all.has(one));
}

function piecesOf(lines: string): string[] {
  return Array.from({ length: lines.length / SHORT }, (_, i) => lines.slice(i * SHORT, (i + 1) * SHORT));
}

/** What a stored run keeps of its file. */
function fileOf(stored: StoredRun | null): JsonObject {
  return stored === null ? {} : { source: stored.source, file_name: stored.title };
}

/** The real path of a file, or of a member of an archive. */
async function realName(name: string): Promise<string> {
  const folder = path.dirname(name);
  return await realpath(name).catch(async () =>
    path.join(folder === name ? "" : await realName(folder), path.basename(name)),
  );
}

/** When a run was imported, as the end of a sentence. */
export function onDay({ importedAt }: Pick<StoredRun, "importedAt">): string {
  return importedAt === null ? "" : ` on ${importedAt.slice(0, 10)}`;
}
