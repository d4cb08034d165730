import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { because } from "../../support/skipped.ts";
import { SHARED_DATA, sharedDataMissing } from "../../support/shared-data.ts";
import { readExchanges, replay, SEED } from "../../weave/recorded.ts";

const FOLDER = fileURLToPath(new URL("weave-wire/", SHARED_DATA));
const MISSING = sharedDataMissing ?? (existsSync(FOLDER) ? null : `no folder ${FOLDER}`);
const RECORDINGS =
  MISSING === null ? readdirSync(FOLDER).filter((name) => name.endsWith(".ndjson")) : ["no recording"];

it.skipIf(MISSING !== null).each(RECORDINGS)(
  `the recording %s is answered as it was, twice and in another order (SEED=${SEED})${because(MISSING)}`,
  async (name) => {
    const exchanges = readExchanges(readFileSync(FOLDER + name, "utf8"));
    expect(exchanges).not.toEqual([]);
    await replay(exchanges);
  },
);
