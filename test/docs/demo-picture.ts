const FONT = 14;
const COLUMN = 8.4;
const LINE = 19;
const MARGIN = 18;

/** The part of the demo's output that the picture shows: its first table. */
export function firstTable(output: string): string[] {
  const lines = output.split("\n");
  const start = lines.findIndex((line) => line.startsWith("1  "));
  const end = lines.findIndex((line) => line.includes("npx evalcube leaderboard"));
  return lines.slice(start, end).join("\n").trimEnd().split("\n");
}

/** Lines of a terminal as a picture. */
export function drawLines(lines: readonly string[]): string {
  const columns = Math.max(...lines.map((line) => line.length));
  const width = Math.ceil(columns * COLUMN + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="100%" height="100%" rx="8" fill="#1b1f24"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT}" fill="#d7dde4">`,
    ...lines.flatMap((line, i) => textAt(line, MARGIN + (i + 0.75) * LINE)),
    `</g>`,
    `</svg>`,
    ``,
  ].join("\n");
}

/** The cells of a line, each where it begins and as long as it is there, so that columns stand in any font. */
function textAt(line: string, y: number): string[] {
  return [...line.matchAll(/\S+(?: \S+)*/g)].map(({ 0: cell, index }) => {
    const x = (MARGIN + index * COLUMN).toFixed(1);
    const length = (cell.length * COLUMN).toFixed(1);
    const escaped = cell.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
    return `<text x="${x}" y="${y}" textLength="${length}">${escaped}</text>`;
  });
}
