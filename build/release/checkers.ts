import { readFile } from "node:fs/promises";
import path from "node:path";
import { publint } from "publint";
import { ROOT } from "./pack.ts";
import { row, type Row } from "./rows.ts";
import { run } from "./users.ts";

/** What publint and attw, which look at packages, find in the tarball. */
export async function checkedBy(tarball: string): Promise<Row[]> {
  return [
    await row("publint", { tarball: () => withoutMessages(tarball) }),
    await row("attw", {
      tarball: () => run(path.join(ROOT, "node_modules/.bin/attw"), [tarball, "--no-emoji"], ROOT),
    }),
  ];
}

async function withoutMessages(tarball: string): Promise<void> {
  const { buffer, byteOffset, byteLength } = await readFile(tarball);
  const pack = { tarball: buffer.slice(byteOffset, byteOffset + byteLength) };
  const { messages } = await publint({ pack, level: "suggestion", strict: true });
  if (messages.length > 0) throw new Error(JSON.stringify(messages, null, 1));
}
