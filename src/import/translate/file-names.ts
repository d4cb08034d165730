import path from "node:path";
import { grouped } from "../../model/grouped.ts";

/** What a file of a command is called. */
interface FileName {
  /**
   * In names of evaluations: without ending and folders; of several files of one name the part of their paths that
   * differs.
   */
  readonly title: string;
  /** In messages: without folders, or from the first folder on that differs. */
  readonly shown: string;
}

/** The name of a file without its ending. */
export function titleOf(name: string): string {
  return name.replace(/\.(gz|zst)$/i, "").replace(/(?<=.)\.[a-z][a-z\d]{0,8}$/i, "");
}

/** What the files of a command are called, by their paths. */
export function fileNames(files: readonly string[]): ReadonlyMap<string, FileName> {
  const all = [...new Set(files)].map((file) => ({
    file,
    name: path.basename(file),
    folders: path.dirname(path.resolve(file)).split(path.sep),
  }));
  const names = new Map<string, FileName>();
  for (const alike of grouped(all, ({ name }) => titleOf(name)).values()) {
    const folders = alike.map((one) => one.folders);
    const begin = commonParts(folders);
    const inside = folders.map((own) => own.slice(begin));
    const end = commonParts(inside.map((own) => own.toReversed()));
    const parts = inside.map((own) => own.slice(0, own.length - end).join("/"));
    const ofPart = grouped(parts, (part) => part);
    const ofName = grouped(alike, ({ name }) => name);
    for (const [i, { file, name }] of alike.entries()) {
      const part = parts[i] ?? "";
      const isAlone = ofPart.get(part)?.length === 1;
      const shown = ofName.get(name)?.length === 1 ? [] : (inside[i] ?? []);
      names.set(file, {
        title: isAlone ? part || titleOf(name) : [part, name].filter((one) => one !== "").join("/"),
        shown: [...shown, name].join("/"),
      });
    }
  }
  return names;
}

/** How many parts all lists have in common from the begin on. */
function commonParts([first = [], ...others]: readonly (readonly string[])[]): number {
  const at = first.findIndex((part, i) => others.some((other) => other[i] !== part));
  return at < 0 ? first.length : at;
}
