export const percent = (share: number | null): string =>
  share === null ? "–" : `${(share * 100).toFixed(1)} %`;

export const print = (cells: readonly string[]): void =>
  void process.stdout.write(`| ${cells.join(" | ")} |\n`);

export const head = (...names: readonly string[]): void => {
  process.stdout.write("\n");
  print(names);
  print(names.map((_, i) => (i === 0 ? "---" : "---:")));
};
