import { readFileSync } from "node:fs";
import path from "node:path";
import { checkOptions, invalidOption, isObject, type OptionRules } from "../flow/check-options.ts";
import type { RowKey } from "../logging/row-keys.ts";
import { directions } from "../logging/check-options.ts";
import { plainJson } from "../logging/values.ts";
import type { Directions } from "../model/direction.ts";
import type { JsonObject } from "../model/json.ts";
import { PROJECT_ID } from "../model/project-id.ts";
import { servicePlace } from "../remote/place.ts";
import { v4 as uuid } from "uuid";

/** Where the results of a runner are stored, and what is said of them. */
export interface RunnerOptions {
  /**
   * The database file, made when there is none, or the address of a service, whose key is `EVALCUBE_KEY`. Default:
   * `EVALCUBE_DB`, else `evals.duckdb` in the root of the runner.
   */
  readonly db?: string | undefined;
  /** `entity/project`. Default: `EVALCUBE_PROJECT`, else `local/` and the name in `package.json`. */
  readonly project?: string | undefined;
  /** The name of the model where results tell none. Default: what runs it by the results, else `unnamed`. */
  readonly model?: string | undefined;
  /** Names the run: the same name again goes on with the same evaluations. Default: `EVALCUBE_RUN`, else a new UUID. */
  readonly run?: string | undefined;
  /**
   * Which way scores are good, by name, or by name and member (`{ length: "lower" }`); the scores of evalite and of
   * judges of vitest-evals are better higher unless it says otherwise.
   */
  readonly directions?: Directions | undefined;
  /** Attributes of every evaluation beside `runner`, `file`, `run`, `commit`, `branch`, before which they come. */
  readonly attributes?: JsonObject | undefined;
  /** The key of a row as it is stored, such as `input.id`: see `rowKey` of `evaluate`. */
  readonly rowKey?: RowKey<JsonObject> | undefined;
}

/** The options with what stands for those that are not given; names of files are told from `root`. */
export type RunnerSettings = Required<RunnerOptions> & {
  readonly db: string;
  /** What the names of files begin with that take what the database does not. */
  readonly beside: string;
  readonly project: string;
  readonly run: string;
  readonly directions: Directions;
  readonly root: string;
};

const TEXT = {
  allowed: "a text that is not empty, without U+0000",
  fits: (value: unknown) => typeof value === "string" && /^[^\0]+$/.test(value),
};
const PROJECT = {
  allowed: "ENTITY/PROJECT, without control characters",
  fits: (value: unknown) => typeof value === "string" && PROJECT_ID.test(value),
};
const OBJECT = { allowed: "an object", fits: (value: unknown) => isObject(value) && !Array.isArray(value) };
const ROW_KEY = {
  allowed: "a field of the row, or a function of it",
  fits: (value: unknown) => TEXT.fits(value) || typeof value === "function",
};
const DIRECTIONS = {
  allowed: 'an object of "higher" and "lower" by the name of a score',
  fits: (value: unknown) => directions.safeParse(value).success,
};
const RULES: OptionRules = {
  db: TEXT,
  project: PROJECT,
  model: TEXT,
  run: TEXT,
  directions: DIRECTIONS,
  attributes: OBJECT,
  rowKey: ROW_KEY,
};
const VARIABLES: OptionRules = { EVALCUBE_DB: TEXT, EVALCUBE_PROJECT: PROJECT, EVALCUBE_RUN: TEXT };

/**
 * Throws `invalid_option` on an unknown option, and on an option or variable that is not allowed; `invalid_value` on
 * attributes.
 */
export function readSettings(options: RunnerOptions, root: string): RunnerSettings {
  checkOptions(options, RULES);
  const told = Object.fromEntries(
    Object.keys(VARIABLES).map((name) => [name, process.env[name] || undefined]),
  );
  checkOptions(told, VARIABLES);
  const db = options.db ?? told["EVALCUBE_DB"] ?? path.relative("", path.join(root, "evals.duckdb"));
  if (/^clickhouse[+\w]*:/i.test(db)) throw invalidOption("db must be a file, not a database on a server");
  const isOfService = isService(db);
  if (isOfService) servicePlace(db, process.env["EVALCUBE_KEY"]);
  return {
    db,
    beside: isOfService
      ? path.relative("", path.join(root, `evals-${new URL(db).host.replace(":", "-")}`))
      : db,
    project: options.project ?? told["EVALCUBE_PROJECT"] ?? `local/${packageName(root)}`,
    model: options.model,
    directions: options.directions ?? {},
    run: options.run ?? told["EVALCUBE_RUN"] ?? uuid(),
    rowKey: options.rowKey,
    attributes: plainJson(options.attributes ?? {}, "attributes").value as JsonObject,
    root,
  };
}

/** Whether a database is that of a service. */
export function isService(db: string): boolean {
  return /^https?:/i.test(db);
}

/** The name of the package in a folder, else of the folder, as a project can have it. */
function packageName(root: string): string {
  let name: unknown;
  try {
    ({ name } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
      readonly name?: unknown;
    });
  } catch {
    // There is none, or it is no JSON object.
  }
  const found = typeof name === "string" && name !== "" ? name : path.basename(path.resolve(root));
  return found.replace(/^\uFEFF|[/\p{Cc}\p{Cs}]/gu, "-") || "-";
}
