/** What states the version of a release. */
export interface Stated {
  /** The tag that a release was pushed with; null where there is none yet. */
  readonly tag: string | null;
  readonly manifest: string;
  /** Both places of the lock file. */
  readonly lock: readonly string[];
  readonly changelog: string;
}

const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;
const HEADING = /^## (.+)$/gm;

/** Where two that state the version differ, as sentences that name both; empty where all agree. */
export function versionFaults({ tag, manifest, lock, changelog }: Stated): string[] {
  const [heading = "nothing"] = headingsOf(changelog);
  const stated: readonly (readonly [what: string, version: string])[] = [
    ...lock.map((version) => ["package-lock.json", version] as const),
    ["the first heading of CHANGELOG.md", heading],
  ];
  const own = stated
    .filter(([, version]) => version !== manifest)
    .map(([what, version]) => `package.json has the version ${manifest}, and ${what} has ${version}.`);
  if (tag !== null && tag !== `v${manifest}`)
    own.unshift(
      `The tag is ${tag}, and package.json has the version ${manifest}, whose tag is v${manifest}.`,
    );
  if (!VERSION.test(manifest)) own.push(`package.json has ${manifest}, which is no version such as 0.2.0.`);
  return [...new Set(own)];
}

function headingsOf(changelog: string): string[] {
  return Array.from(changelog.matchAll(HEADING), ([, text = ""]) => text.replace(/ .*/, ""));
}

/** What the changelog says of a version, without its heading; null where it says nothing. */
export function notesOf(changelog: string, version: string): string | null {
  const parts = changelog.split(/^(?=## )/m);
  const part = parts.find((one) => one.split(/\s/, 2)[1] === version);
  const text = part?.replace(/^.*\n/, "").trim() ?? "";
  return text === "" ? null : `${text}\n`;
}
