import { InvalidArgumentError, Option } from "commander";
import { USER_PATTERN, USER_RULE } from "../../http/keys/key-patterns.ts";
import type { KeySummary } from "../../http/keys/keys-file.ts";
import { PROJECT_PATTERN, PROJECT_PATTERN_RULE } from "../../model/project-id.ts";
import { formatOption, keysOption, type Format, type EvalcubeCommand } from "../options/options.ts";
import { screenTable, tableView, type TableView } from "../tables/screen-table.ts";
import { note, print, type Terminal } from "../terminal/terminal.ts";

interface CreateOptions {
  readonly keys: string;
  readonly user: string;
  readonly project: readonly string[];
}

interface ListOptions {
  readonly keys: string;
  readonly format: Format;
}

export function keysCommand(program: EvalcubeCommand, terminal: Terminal): void {
  const keys = program
    .command("keys")
    .description("make, list and revoke the service's keys")
    .example("evalcube keys create --keys keys.json --user ann --project 'acme/*'");
  addCreate(keys, terminal);
  keys
    .command("list")
    .description("show the keys without their secrets")
    .with(keysOption(), formatOption("json"))
    .example("evalcube keys list --keys keys.json --format table")
    .action((options: ListOptions) => list(options, terminal));
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
    )
    .example("evalcube keys create --keys keys.json --user ann --project 'acme/*' > key.txt")
    .action((options: CreateOptions) => create(options, terminal));
}

async function create(options: CreateOptions, terminal: Terminal): Promise<void> {
  const { createKey } = await import("../on-use/on-use.ts");
  const { key, id } = await createKey(options.keys, { user: options.user, projects: options.project });
  await note(terminal, `note: key ${id} of ${options.user}, shown this once; ${REREAD}\n`);
  await print(terminal.stdout, `${key}\n`);
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
  const columns = ["id", "user", "projects", "created", "revoked"].map((head) => ({ head }));
  const rows = keys.map((one) => [
    one.id,
    one.user,
    one.projects.join(" "),
    one.created_at.slice(0, 19),
    one.revoked_at?.slice(0, 19) ?? "–",
  ]);
  return screenTable(columns, rows, view);
}

function parseUser(text: string): string {
  if (!USER_PATTERN.test(text)) throw new InvalidArgumentError(`It ${USER_RULE}.`);
  return text;
}

function parsePatterns(text: string, before: readonly string[] = []): string[] {
  if (!PROJECT_PATTERN.test(text)) throw new InvalidArgumentError(`It ${PROJECT_PATTERN_RULE}.`);
  return [...before, text];
}
