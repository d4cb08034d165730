/** A text of a vector takes 16 bytes: its length, then itself when it is short, else 4 bytes and a pointer. */
export const TEXT_BYTES = 16;
