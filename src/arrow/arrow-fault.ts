/** Arrow data that contradicts itself: lengths beyond a buffer, unknown types, an end that is missing. */
export class ArrowFault extends Error {}
