import { HttpError, unknownPath } from "../errors/http-error.ts";
import type { PublicRoute } from "../routes/route.ts";
import type { ServedPage } from "../routes/service.ts";
import { type Answer, bytesAnswer } from "../wire/answer.ts";
import type { BundledPage } from "../../view-files.ts";

/** What the page may do: use its own script, style and endpoints, and nothing else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Headers of every answer below `/view`. There is none for other origins, so that they read nothing of it. */
export const PAGE_HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

const SECTIONS = ["Conclusion", "Leaderboard", "Rows"];

/** The frame of the page, seen until the script has run, which puts its own in this place. */
const FRAME = [
  `<div class="page"><header class="banner"><div class="subject"><h1>evalcube</h1></div></header><main aria-busy="true">`,
  ...SECTIONS.map((title) => `<section class="section"><h2>${title}</h2></section>`),
  "</main></div>",
].join("");

/** The document that loads the page's script, which fills it. Addresses are relative, so that any base path will do. */
function shellOf({ script, style }: BundledPage, ownKey: boolean): string {
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

/** A file with another text has another name. */
const FOR_A_YEAR = "public, max-age=31536000, immutable";

const MISSING =
  "The script and style of the page are not there. In a checkout, npm ci installs what makes them; otherwise install evalcube again.";

/** The shell and its files, which hold no data and need no key. */
export function pageRoutes({ load, ownKey }: ServedPage): readonly PublicRoute[] {
  return [
    {
      method: "GET",
      path: "/view",
      access: "public",
      id: "findPage",
      summary: "Where the page is",
      // Relative, since a proxy may serve it below another path.
      run: () => ({ ...textAnswer("", "text/plain", "no-cache", { location: "view/" }), status: 307 }),
    },
    {
      method: "GET",
      path: "/view/",
      access: "public",
      id: "page",
      summary: "The page",
      run: async () => textAnswer(shellOf(await loaded(load), ownKey), "text/html", "no-cache"),
    },
    {
      method: "GET",
      path: "/view/{file}",
      access: "public",
      id: "pageFile",
      summary: "A file of the page",
      run: async ({ params }) => fileAnswer(await loaded(load), params.get("file")),
    },
  ];
}

/**
 * Where a browser is sent that asks for the address of the service; null for other requests. `path` is below the base
 * path.
 */
export function pageFor({ method, headers, url }: Request, path: string | undefined): Answer | null {
  const accepts = headers.get("accept") ?? "";
  if (
    !["", "/"].includes(path ?? "-") ||
    !["GET", "HEAD"].includes(method) ||
    !/\btext\/html\b/i.test(accepts)
  )
    return null;
  const { pathname } = new URL(url);
  const location = pathname.endsWith("/")
    ? "view/"
    : `${pathname.slice(pathname.lastIndexOf("/") + 1)}/view/`;
  return { ...textAnswer("", "text/plain", "no-cache", { location, vary: "accept" }), status: 303 };
}

async function loaded(load: () => Promise<BundledPage>): Promise<BundledPage> {
  try {
    return await load();
  } catch (cause) {
    throw new HttpError(500, null, MISSING, { type: "api_error" }, { cause });
  }
}

function fileAnswer({ script, style }: BundledPage, name: string | undefined): Answer {
  if (name === script.name) return textAnswer(script.text, "text/javascript", FOR_A_YEAR);
  if (name === style.name) return textAnswer(style.text, "text/css", FOR_A_YEAR);
  throw unknownPath();
}

function textAnswer(
  text: string,
  type: string,
  caching: string,
  others: Readonly<Record<string, string>> = {},
): Answer {
  const headers = {
    ...PAGE_HEADERS,
    "content-type": `${type}; charset=utf-8`,
    "cache-control": caching,
    ...others,
  };
  return bytesAnswer(Buffer.from(text, "utf8"), headers, 200);
}
