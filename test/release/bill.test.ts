import { expect, it } from "vitest";
import { billOfRelease, lockedPackages } from "../../build/release/bill.ts";
import { readManifest } from "../../build/release/pack.ts";
import { scratchFolder } from "../support/scratch.ts";

it("the bill of materials of a release names each package that comes with it, and no other", async () => {
  const { subject, packages } = await billOfRelease(scratchFolder());
  const { version, dependencies } = await readManifest();
  const locked = await lockedPackages();
  expect(subject).toBe(`evalcube@${version}`);
  expect(packages.toSorted()).toEqual(locked.toSorted());
  expect(locked).toEqual(
    expect.arrayContaining(Object.entries(dependencies).map(([name, exact]) => `${name}@${exact}`)),
  );
});
