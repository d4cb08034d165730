/** The system this runs on: the one place that asks. */
const SYSTEM = process.platform;

export const ON_WINDOWS = SYSTEM === "win32";

/** Whether the system itself opens what a browser shows; elsewhere `xdg-open` finds the browser. */
export const OPENS_BY_ITSELF = ON_WINDOWS || SYSTEM === "darwin";
