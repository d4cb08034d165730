import type { BundledPage } from "../../view-files.ts";

const SECTIONS = ["Conclusion", "Leaderboard", "Rows"];

/** The frame of the page, seen until the script has run, which puts its own in this place. */
const FRAME = [
  `<div class="page"><header class="banner"><div class="subject"><h1>evalcube</h1></div></header><main aria-busy="true">`,
  ...SECTIONS.map((title) => `<section class="section"><h2>${title}</h2></section>`),
  "</main></div>",
].join("");

/** The document that loads the page's script, which fills it. Addresses are relative, so that any base path will do. */
export function shellOf({ script, style }: BundledPage, ownKey: boolean): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>evalcube</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style.name}">
<script src="${script.name}" defer></script>
</head>
<body>
<div id="evalcube-page"${ownKey ? " data-own-key" : ""}>${FRAME}</div>
<noscript>This page needs JavaScript. A report (evalcube report) can be read without it.</noscript>
</body>
</html>
`;
}
