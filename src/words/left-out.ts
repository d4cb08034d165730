import { counted } from "./figures.ts";
import { listed, say, type Name, type Sentence } from "./sentence.ts";

/** An evaluation that counts in nothing. */
interface Left {
  readonly name: Name;
  readonly status: string;
  readonly partial: boolean;
  readonly row_count: number;
}

const MOST_NAMED = 10;

/** `Left out: support small (15:07:42), cancelled, 10 rows.` null where nothing is. */
export function leftOutSentence(all: readonly Left[]): Sentence | null {
  if (all.length === 0) return null;
  const named = all.slice(0, MOST_NAMED).map(({ name, status, partial, row_count: rows }) => {
    const why = partial && status === "finished" ? "part of the rows" : status;
    return say`${name}, ${why}, ${counted(rows, "row")}`;
  });
  const more = all.length - named.length;
  return say`Left out: ${listed([...named, ...(more === 0 ? [] : [[`${more} more`]])], "; ")}.`;
}
