import { InvalidArgumentError, Option } from "commander";
import { MOST_BYTES, MOST_VALUES } from "../../model/json-bounds.ts";
import { LOG_LEVELS, type LogLevel } from "../../http/log/log-levels.ts";

export interface ServiceOptions {
  readonly db: string;
  readonly keys: string;
  readonly inference?: string;
  readonly host: string;
  readonly port: number;
  readonly basePath: string;
  readonly view: boolean;
  readonly logLevel: LogLevel;
  readonly grace: number;
  readonly maxChatBody: number;
  readonly maxTrainingBody: number;
  readonly maxBody: number;
  readonly maxWeaveBody: number;
  readonly maxFileBody: number;
  readonly maxValues: number;
  readonly maxConcurrentAnswers: number;
  readonly maxItem: number;
  /** Bytes; without it, what is usual for a file. */
  readonly memoryLimit?: number;
  /** The folder of backups. */
  readonly backup?: string;
  /** In milliseconds. */
  readonly backupEvery?: number;
  readonly backupKeep?: number;
}

const MIB = 1024 * 1024;

/** The options of `serve` other than the database and the keys. */
export function serviceOptions(): Option[] {
  return [
    new Option("--inference <path>", "the inference file; without it there are no models"),
    new Option("--host <host>", "address to listen on").default("127.0.0.1"),
    new Option("--port <port>", "port to listen on; 0 takes a free one").argParser(parsePort).default(7341),
    new Option("--base-path <path>", "where the service begins").argParser(parseBasePath).default("/"),
    new Option("--no-view", "leave out the page, view/ below the base path"),
    new Option("--log-level <level>", "what is logged").choices(LOG_LEVELS).default("info"),
    new Option("--grace <seconds>", "time for what is under way when stopping")
      .argParser(parseGrace)
      .default(10),
    new Option("--memory-limit <size>", "most memory of DuckDB, beside that of Node (1GiB)").argParser(
      parseSize,
    ),
    new Option("--backup <folder>", "make backups of the whole database there by itself"),
    new Option("--backup-every <duration>", "how often: a whole number and s, m, h or d (24h)").argParser(
      parseEvery,
    ),
    new Option("--backup-keep <count>", "how many backups stay, the latest (7)").argParser(parseCount),
    sizeOption("--max-chat-body <size>", "longest chat body", 32 * MIB),
    sizeOption("--max-training-body <size>", "longest training job", 256 * MIB),
    sizeOption("--max-weave-body <size>", "longest body of calls, objects and tables of W&B Weave", 64 * MIB),
    sizeOption("--max-file-body <size>", "longest file of W&B Weave", 256 * MIB),
    sizeOption("--max-body <size>", "longest body of the rest", 16 * MIB),
    new Option("--max-values <count>", "most JSON values of a body, or of an item of a long list")
      .argParser(parseCount)
      .default(MOST_VALUES),
    new Option("--max-concurrent-answers <n>", "answers that are read from the database at once")
      .argParser(parseCount)
      .default(64),
    sizeOption(
      "--max-item <size>",
      "longest call, object or table row of W&B Weave, and half the longest trajectory",
      MOST_BYTES,
    ),
  ];
}

function sizeOption(flags: string, description: string, bytes: number): Option {
  return new Option(flags, description).argParser(parseSize).default(bytes, `${bytes / MIB}MiB`);
}

/** A port, or 0 for a free one. */
export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError("Expected an integer from 0 to 65535.");
  return Number(text);
}

function parseBasePath(text: string): string {
  if (!/^(\/[\w.~-]+)*\/?$/.test(text) || text === "")
    throw new InvalidArgumentError("Expected / or a path such as /one/or/more/names.");
  return text;
}

function parseGrace(text: string): number {
  if (!/^\d{1,5}(\.\d+)?$/.test(text))
    throw new InvalidArgumentError("Expected a number of seconds below 100000.");
  return Number(text);
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

function parseEvery(text: string): number {
  const [, digits = "", unit = ""] = /^([1-9]\d{0,4})([smhd])$/.exec(text) ?? [];
  const seconds = SECONDS[unit];
  if (seconds === undefined)
    throw new InvalidArgumentError(
      "Expected a whole number of up to five digits and s, m, h or d, such as 24h.",
    );
  return Number(digits) * seconds * 1000;
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError("Expected a whole number from 1 to 999999999.");
  return Number(text);
}

const UNITS: Readonly<Record<string, number>> = { "": 1, KiB: 1024, MiB: MIB, GiB: 1024 * MIB };

function parseSize(text: string): number {
  const [, digits = "", unit = ""] = /^(\d+)(|KiB|MiB|GiB)$/.exec(text) ?? [];
  const bytes = Number(digits) * (UNITS[unit] ?? 1);
  if (bytes === 0 || !Number.isSafeInteger(bytes))
    throw new InvalidArgumentError("Expected a number of bytes, KiB, MiB or GiB, such as 64MiB.");
  return bytes;
}
