import { InvalidArgumentError, Option } from "commander";
import { USER_PATTERN, USER_RULE } from "../../model/user-name.ts";
import type { KeySummary } from "../../http/keys/keys-file.ts";
import { DURATION_RULE, readDuration } from "../../model/duration.ts";
import { PROJECT_PATTERN, PROJECT_PATTERN_RULE } from "../../model/project-id.ts";
import { type Right, RIGHTS } from "../../model/rights.ts";
import { formatOption, keysOption, type Format, type EvalcubeCommand } from "../options/options.ts";
import { screenTable, tableView, type TableView } from "../tables/screen-table.ts";
import { note, print, type Terminal } from "../terminal/terminal.ts";

interface CreateOptions {
  readonly keys: string;
  readonly user: string;
  readonly project: readonly string[];
  readonly can: Right;
}

interface RotateOptions {
  readonly keys: string;
  /** Milliseconds. */
  readonly for: number;
}

interface ListOptions {
  readonly keys: string;
  readonly format: Format;
}

export function keysCommand(program: EvalcubeCommand, terminal: Terminal): void {
  const keys = program
    .command("keys")
    .description("make, list, rotate and revoke the service's keys")
    .example("evalcube keys create --keys keys.json --user ann --project 'acme/*'");
  addCreate(keys, terminal);
  keys
    .command("list")
    .description("show the keys without their secrets")
    .with(keysOption(), formatOption("json"))
    .example("evalcube keys list --keys keys.json --format table")
    .action((options: ListOptions) => list(options, terminal));
  keys
    .command("rotate")
    .description("print a new key with the rights of another, which ends by itself")
    .with(
      keysOption(),
      new Option("--for <duration>", "how long the old key is taken: a whole number and h, d or w")
        .argParser(parseDuration)
        .default(24 * 3_600_000, "24h"),
    )
    .argument("<id>", "the old key's id, as list shows it")
    .example("evalcube keys rotate --keys keys.json 0123abcd --for 24h > key.txt")
    .action((id: string, options: RotateOptions) => rotate(id, options, terminal));
  keys
    .command("revoke")
    .description("refuse a key from now on")
    .with(keysOption())
    .argument("<id>", "the key's id, as list shows it")
    .example("evalcube keys revoke --keys keys.json 0123abcd")
    .action((id: string, options: { readonly keys: string }) => revoke(id, options.keys, terminal));
}

function addCreate(keys: EvalcubeCommand, terminal: Terminal): void {
  keys
    .command("create")
    .description("add a key and print it, this once")
    .with(
      keysOption(),
      new Option("--user <name>", "who uses it").argParser(parseUser).makeOptionMandatory(),
      new Option("--project <pattern>", "ENTITY/PROJECT, ENTITY/* or *; may be given again")
        .argParser(parsePatterns)
        .makeOptionMandatory(),
      new Option("--can <right>", "read asks; write also stores; admin also deletes and takes backups")
        .choices(RIGHTS)
        .default("write"),
    )
    .example("evalcube keys create --keys keys.json --user ann --project 'acme/*' > key.txt")
    .action((options: CreateOptions) => create(options, terminal));
}

async function create(options: CreateOptions, terminal: Terminal): Promise<void> {
  const { createKey } = await import("../on-use/on-use.ts");
  const { user, project: projects, can } = options;
  const { key, id } = await createKey(options.keys, { user, projects, can });
  await note(terminal, `note: key ${id} of ${options.user}, shown this once; ${REREAD}\n`);
  await print(terminal.stdout, `${key}\n`);
}

async function rotate(id: string, options: RotateOptions, terminal: Terminal): Promise<void> {
  const { rotateKey } = await import("../on-use/on-use.ts");
  const made = await rotateKey(options.keys, id, options.for);
  const until = `${made.expiresAt.slice(0, 19)}Z`;
  await note(
    terminal,
    `note: key ${made.id} of ${made.user}, shown this once, follows ${id}, which ends at ${until}; ${REREAD}\n`,
  );
  await print(terminal.stdout, `${made.key}\n`);
}

async function list({ keys, format }: ListOptions, { stdout }: Terminal): Promise<void> {
  const { listKeys } = await import("../on-use/on-use.ts");
  const found = listKeys(keys);
  await print(stdout, `${format === "json" ? JSON.stringify(found) : table(found, tableView(stdout))}\n`);
}

async function revoke(id: string, path: string, terminal: Terminal): Promise<void> {
  const { revokeKey } = await import("../on-use/on-use.ts");
  const revoked = await revokeKey(path, id);
  await note(terminal, `note: ${REREAD}\n`);
  await print(terminal.stdout, `${JSON.stringify(revoked)}\n`);
}

const REREAD = "a running service reads its keys again on SIGHUP";

function table(keys: readonly KeySummary[], view: TableView): string {
  const heads = ["id", "user", "can", "projects", "created", "last used", "expires", "revoked"];
  const columns = heads.map((head) => ({ head }));
  const rows = keys.map((one) => [
    one.id,
    one.user,
    one.can,
    one.projects.join(" "),
    one.created_at.slice(0, 19),
    one.last_used_on ?? "–",
    one.expires_at?.slice(0, 19) ?? "–",
    one.revoked_at?.slice(0, 19) ?? "–",
  ]);
  return screenTable(columns, rows, view);
}

function parseUser(text: string): string {
  if (!USER_PATTERN.test(text)) throw new InvalidArgumentError(`It ${USER_RULE}.`);
  return text;
}

function parseDuration(text: string): number {
  const duration = readDuration(text);
  if (duration === null) throw new InvalidArgumentError(`It ${DURATION_RULE}.`);
  return duration;
}

function parsePatterns(text: string, before: readonly string[] = []): string[] {
  if (!PROJECT_PATTERN.test(text)) throw new InvalidArgumentError(`It ${PROJECT_PATTERN_RULE}.`);
  return [...before, text];
}
