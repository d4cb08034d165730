import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Files } from "./disk.ts";

/** The files in a folder and in the folders below it. */
export function readFolder(folder: string): Files {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => statSync(path.join(folder, name)).isFile());
  return new Map(
    files.map((name) => {
      const file = path.join(folder, name);
      return [name, { inode: statSync(file).ino, bytes: readFileSync(file) }];
    }),
  );
}

/** Makes a folder hold these files and nothing else. */
export function writeFolder(folder: string, files: ReadonlyMap<string, Buffer>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
}

const IN_MEMORY = "/dev/shm";
const ROOM = 2 * 2 ** 30;

/** A folder for scratch files: in memory where there is room, since each state costs a few syncs. `DISK_SCRATCH` names another. */
export function fastFolder(): string {
  const given = process.env["DISK_SCRATCH"];
  if (given !== undefined) return given;
  if (!existsSync(IN_MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize > ROOM ? IN_MEMORY : tmpdir();
}
