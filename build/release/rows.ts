/** What was tried of one thing: a package manager, a way of resolving, a runtime. */
export interface Row {
  readonly name: string;
  readonly cells: readonly Cell[];
}

export interface Cell {
  readonly name: string;
  /** Null where it passed. */
  readonly fault: string | null;
  readonly seconds: number;
}

/** Does what a cell stands for; what it throws is its fault. */
export async function cell(name: string, act: () => Promise<unknown>): Promise<Cell> {
  const begin = performance.now();
  const fault = await act().then(
    () => null,
    (error: unknown) => words(error),
  );
  return { name, fault, seconds: (performance.now() - begin) / 1000 };
}

/** The cells of a row, one after the other. */
export async function row(
  name: string,
  cells: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<Row> {
  const done: Cell[] = [];
  for (const [what, act] of Object.entries(cells)) done.push(await cell(what, act));
  return { name, cells: done };
}

/** An error, with what a program that failed printed. */
function words(error: unknown): string {
  const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
  return [String(error), stdout, stderr].filter((text) => text.trim() !== "").join("\n");
}

/** The table that a rehearsal prints, and what failed below it. */
export function tableOf(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(({ name, cells }) => {
    const marks = cells.map((one) => `${one.name} ${one.fault === null ? "ok" : "FAILED"}`);
    const seconds = cells.reduce((sum, one) => sum + one.seconds, 0);
    return `| ${name.padEnd(width)} | ${marks.join(", ")} | ${seconds.toFixed(1)} s |`;
  });
  const faults = rows.flatMap(({ name, cells }) =>
    cells.flatMap((one) => (one.fault === null ? [] : [`\n${name}, ${one.name}:\n${one.fault}\n`])),
  );
  const head = [`| ${"with".padEnd(width)} | what ran | time |`, `|${"-".repeat(width + 2)}|---|---:|`];
  return `${[...head, ...lines].join("\n")}\n${faults.join("")}`;
}
