/** A text of a vector takes 16 bytes: its length, then itself when it is short, else 4 bytes and a pointer. */
export const TEXT_BYTES = 16;

/** Texts lie end to end in DuckDB's memory, but for alignment; less than this is no reason to read anew. */
export const TEXT_GAP = 8;
