/** Lets the page answer, and be drawn, before what comes next; it may take so many milliseconds. */
export function nextTurn(milliseconds = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
