import { bytesOfStubs } from "../../model/text-stubs.ts";
import type { RecordStore, Session } from "../../store/session.ts";
import { wholeTexts } from "../../texts/whole-texts.ts";

interface Sizes<Item> {
  /** Bytes of the long texts that an item waits for; 0 where it waits for none. */
  readonly longBytes: (item: Item) => number;
  /** Bytes of what is held of an item meanwhile. */
  readonly heldBytes: (item: Item) => number;
  readonly most: number;
}

/** Runs of items whose long texts are read together. What waits for none goes on at once, unless others wait. */
export async function* inGroups<Item>(
  items: AsyncIterable<Item>,
  { longBytes, heldBytes, most }: Sizes<Item>,
): AsyncGenerator<readonly Item[], void, undefined> {
  let group: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    const more = longBytes(item);
    if (more === 0 && group.length === 0) {
      yield [item];
      continue;
    }
    const added = more + heldBytes(item);
    if (group.length > 0 && bytes + added > most) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(item);
    bytes += added;
  }
  if (group.length > 0) yield group;
}

/** Bytes of long texts that are held at once to be sent on. */
const SENT_BYTES = 8 * 1024 * 1024;

interface WholeReading<Item> {
  readonly store: Pick<RecordStore, "read" | "mark">;
  /** The texts of some items once more, as the session that reads long ones has them; undefined for what is gone. */
  readonly again: (session: Session, items: readonly Item[]) => Promise<readonly (string | undefined)[]>;
  readonly signal: AbortSignal | undefined;
}

/** Each item with its text, in which stubs stood instead of long texts. */
export async function* inWhole<Item>(
  texts: AsyncIterable<readonly [item: Item, text: string | undefined]>,
  { store, again, signal }: WholeReading<Item>,
): AsyncGenerator<readonly [item: Item, text: string | undefined], void, undefined> {
  const { mark } = store;
  if (mark === undefined) return yield* texts;
  const longBytes = ([, text = ""]: readonly [Item, string | undefined]) => bytesOfStubs(mark, text) ?? 0;
  const heldBytes = ([, text = ""]: readonly [Item, string | undefined]) => text.length;
  for await (const group of inGroups(texts, { longBytes, heldBytes, most: SENT_BYTES })) {
    const long = group.filter((one) => longBytes(one) > 0).map(([item]) => item);
    if (long.length === 0) {
      yield* group;
      continue;
    }
    const whole = await store.read(async (session) => {
      const found = await again(session, long);
      return wholeTexts(
        session,
        found.map((text) => text ?? ""),
      );
    }, signal);
    const byItem = new Map(long.map((item, i) => [item, whole[i] === "" ? undefined : whole[i]]));
    for (const [item, text] of group) yield [item, byItem.has(item) ? byItem.get(item) : text];
  }
}
