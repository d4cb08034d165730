import { createHash } from "node:crypto";
import { writeJson } from "../model/json.ts";
import type { BundledPage } from "../view-files.ts";

/** The parts of a report file. */
interface ReportDocument {
  readonly title: string;
  /** HTML of the page. */
  readonly page: string;
  /** The answers, for the page's script and for programs. */
  readonly answers: unknown;
  /** The rows as base64 text; empty where there are none. */
  readonly rows: string;
  readonly files: BundledPage;
}

/** The whole report as one HTML document that needs no other file. */
export function reportDocument({ title, page, answers, rows, files }: ReportDocument): string {
  const { script, style } = files;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${reportPolicy(script.text, style.text)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${style.text}</style>
</head>
<body>
<div id="evalcube-page">${page}</div>
<script type="application/json" id="evalcube-report">${jsonInScript(answers)}</script>
<script type="application/octet-stream" id="evalcube-rows">${rows}</script>
<script>${script.text}</script>
</body>
</html>
`;
}

/** What a report may do: run its own script and use its own style, and nothing else. */
function reportPolicy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** JSON that no text in it can end or change the element around it with. */
function jsonInScript(value: unknown): string {
  return writeJson(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}
