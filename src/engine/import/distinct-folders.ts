import path from "node:path";

/** Of files with one name, the folders in which their paths differ. */
export function distinctFolders(files: readonly string[]): ReadonlyMap<string, string> {
  const parts = new Map(files.map((file) => [file, path.dirname(path.resolve(file)).split(path.sep)]));
  const folders = new Map<string, string>();
  for (const [file, own] of parts) {
    const others = [...parts].filter(([one]) => one !== file && path.basename(one) === path.basename(file));
    if (others.length === 0) continue;
    const begin = Math.min(...others.map(([, other]) => sameParts(own, other)));
    const rest = own.slice(begin).toReversed();
    const end = Math.min(...others.map(([, other]) => sameParts(rest, other.slice(begin).toReversed())));
    const differing = rest.slice(end).toReversed().join("/");
    if (differing !== "") folders.set(file, differing);
  }
  return folders;
}

/** How many parts are the same from the begin on. */
function sameParts(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((part, i) => part !== b[i]);
  return at < 0 ? a.length : at;
}
