import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The licences and notices of the packages that files come from; `files` are relative to `root`. */
export function licencesOf(root: string, files: readonly string[]): string {
  return packageFolders(files)
    .map((folder) => licenceOf(path.join(root, folder)))
    .join("\n");
}

/** The folders of the packages that files come from. */
export function packageFolders(files: readonly string[]): string[] {
  const found = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  return [...new Set(found)].toSorted();
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(path.join(folder, "package.json"), "utf8"),
  ) as Readonly<Record<string, string>>;
  const texts = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|notice)/i.test(file))
    .map((file) => readFileSync(path.join(folder, file), "utf8"));
  return `${name} ${version} (${license})\n\n${texts.join("\n")}`;
}
