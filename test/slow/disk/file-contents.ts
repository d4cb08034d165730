export const SECTOR = 512;

/** A change of a file's contents or size. */
export type Change =
  | { readonly kind: "write"; readonly offset: number; readonly data: Buffer }
  | { readonly kind: "resize"; readonly size: number }
  | { readonly kind: "extend"; readonly size: number };

/** The bytes of a file as they grow and shrink. */
export interface FileContents {
  readonly apply: (change: Change) => void;
  /** Applies only the sectors of a write that `keeps` says; with `size`, the file gets as long as the whole write makes it. */
  readonly applyPart: (change: Change, keeps: (sector: number) => boolean, size: boolean) => void;
  readonly bytes: () => Buffer;
  readonly copy: () => FileContents;
}

export function fileContents(initial: Buffer): FileContents {
  let room = Buffer.from(initial);
  let size = initial.length;

  const resize = (wanted: number): void => {
    if (wanted < size) room.fill(0, wanted, size);
    if (wanted > room.length) {
      const larger = Buffer.alloc(Math.max(wanted, room.length * 2, 64 * 1024));
      room.copy(larger, 0, 0, size);
      room = larger;
    }
    size = wanted;
  };
  const write = (offset: number, data: Buffer): void => {
    if (offset + data.length > size) resize(offset + data.length);
    data.copy(room, offset);
  };
  const apply = (change: Change): void => {
    if (change.kind === "write") write(change.offset, change.data);
    else if (change.kind === "resize") resize(change.size);
    else if (change.size > size) resize(change.size);
  };
  return {
    apply,
    applyPart: (change, keeps, sized) => {
      if (change.kind !== "write") {
        if (sized) apply(change);
        return;
      }
      const { offset, data } = change;
      const end = offset + data.length;
      for (let at = offset; at < end;) {
        const sector = Math.floor(at / SECTOR);
        const next = Math.min(end, (sector + 1) * SECTOR);
        if (keeps(sector)) write(at, data.subarray(at - offset, next - offset));
        at = next;
      }
      if (sized && end > size) resize(end);
    },
    bytes: () => room.subarray(0, size),
    copy: () => fileContents(room.subarray(0, size)),
  };
}
