/** Lets whatever else waits for the event loop go first. */
export function nextTurn(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}
