/** Projects whose names stand as they are. */
export const PROJECT_IDS = [
  "acme/qa",
  "Ä & Söhne/数据 100%",
  "a b/c d",
  " / ",
  "приве́т/مشروع",
  "😀/👩‍🚀 crew",
  "100%25/%2F%00",
  'o\'hara; DROP TABLE calls; --/"q"',
  "a*b/*",
  "a:b@c?d#e/[x]{y}\\z",
  "no\u00a0break/line\u2028separator",
  `${"long ".repeat(60)}/x`,
] as const;

/** Texts that name no project. */
export const NO_PROJECT_IDS = [
  "",
  "acme",
  "/",
  "acme/",
  "/qa",
  "a/b/c",
  "a//b",
  "a/b\0",
  "a\n/b",
  "a/\tb",
  "a\u007f/b",
  "a/\u0085b",
  "a/\ud800b",
  "\ufeffa/b",
  "a/\ufeffb",
] as const;
