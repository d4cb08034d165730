import type { Head } from "../../recognise/head.ts";
import { TIME_IN_NAME } from "../../translate/times.ts";

const DETAILS = new RegExp(String.raw`^details_(.+)_${TIME_IN_NAME}\.parquet(?:\.gz|\.zst)?$`, "s");
/** A model's name may be that of an organisation and of the model, with the folder of the time below. */
const LEVELS = 4;

/** What the name of a details file says: the task, and the time as it is written in names. Null for any other name. */
export function detailsName(name: string): { readonly task: string; readonly time: string } | null {
  const [, task, time] = DETAILS.exec(name) ?? [];
  return task === undefined || time === undefined ? null : { task, time };
}

/** Where the results of a details file may lie, seen from its folder: in it, above it, or below `results` beside `details`. */
export function resultsPaths({ name, folders }: Head): string[] {
  const time = detailsName(name)?.time;
  if (time === undefined) return [];
  const file = `results_${time}.json`;
  const paths: string[] = [];
  for (let level = 0; level <= Math.min(LEVELS, folders.length); level++) {
    const up = "../".repeat(level);
    paths.push(`${up}${file}`);
    // The last folder has the name of the time, which folders of results have not.
    const below = folders.slice(folders.length - level, -1).join("/");
    if (folders.at(-level - 1) === "details") paths.push(`${up}../results/${below}/${file}`);
  }
  return paths;
}
