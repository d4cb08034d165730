const NAMES_SHOWN = 12;
const LONGEST_NAME = 40;

/** Names for a message: the first twelve, each cut after 40 characters. */
export function nameList(names: readonly string[]): string {
  const shown = names
    .slice(0, NAMES_SHOWN)
    .map((name) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name));
  const more = names.length - shown.length;
  return [...shown, ...(more > 0 ? [`… (${more} more)`] : [])].join(", ");
}
