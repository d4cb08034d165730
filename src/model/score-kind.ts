/** What a score leaf is, as `scores.kind` has it. */
export const NUMBER = 0;
export const BOOLEAN = 1;
export const TEXT = 2;
/** No leaf: `null_scores` has those. */
export const NULL = 3;
