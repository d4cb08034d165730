/** A text of a vector takes 16 bytes: its length, then itself when it is short, else 4 bytes and a pointer. */
export const TEXT_BYTES = 16;

/** A text of no more bytes is in the vector itself. */
export const SHORT_TEXT = 12;
