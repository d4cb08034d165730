/** Invalid Arrow data: lengths beyond a buffer, unknown types, a missing end. */
export class ArrowFault extends Error {}
