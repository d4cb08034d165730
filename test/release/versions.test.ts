import { describe, expect, it } from "vitest";
import { notesOf, versionFaults } from "../../build/release/versions.ts";

const AGREED = {
  tag: "v0.2.0",
  manifest: "0.2.0",
  lock: ["0.2.0", "0.2.0"],
  changelog: "# Changes\n\n## 0.2.0\n",
};

describe("what states the version of a release", () => {
  it("agrees with and without a tag, and where the heading has a date", () => {
    expect(versionFaults(AGREED)).toEqual([]);
    expect(versionFaults({ ...AGREED, tag: null })).toEqual([]);
    expect(versionFaults({ ...AGREED, changelog: "## 0.2.0 (2026-12-01)\n\n## 0.1.0\n" })).toEqual([]);
  });

  it.each([
    [{ tag: "v0.2.1" }, ["v0.2.1", "0.2.0"]],
    [{ tag: "0.2.0" }, ["0.2.0", "v0.2.0"]],
    [{ manifest: "0.3.0", tag: "v0.3.0" }, ["0.3.0", "0.2.0"]],
    [{ lock: ["0.2.0", "0.1.0"] }, ["0.2.0", "0.1.0"]],
    [{ lock: ["0.1.0", "0.2.0"] }, ["0.2.0", "0.1.0"]],
    [{ changelog: "# Changes\n\n## 0.1.0\n" }, ["0.2.0", "0.1.0"]],
    [{ changelog: "# Changes\n\n## Unreleased\n\n## 0.2.0\n" }, ["0.2.0", "Unreleased"]],
    [{ changelog: "" }, ["0.2.0", "nothing"]],
    [{ tag: "v0.2", manifest: "0.2", lock: ["0.2"], changelog: "## 0.2\n" }, ["0.2", "0.2.0"]],
  ])("is told with both where it differs: %j", (change, named) => {
    const faults = versionFaults({ ...AGREED, ...change });
    expect(faults.length).toBeGreaterThan(0);
    for (const fault of faults) for (const name of named) expect(fault).toContain(name);
  });
});

describe("the text of a release", () => {
  const changelog = "# Changes\n\nOn versions.\n\n## 0.2.0\n\n- **New**: more.\n\n## 0.1.0\n\nThe first.\n";

  it("is what stands below the heading of its version", () => {
    expect(notesOf(changelog, "0.2.0")).toBe("- **New**: more.\n");
    expect(notesOf(changelog, "0.1.0")).toBe("The first.\n");
  });

  it("is none where nothing is said of the version", () => {
    expect(notesOf(changelog, "0.3.0")).toBeNull();
    expect(notesOf("## 0.2.0\n\n## 0.1.0\n\nThe first.\n", "0.2.0")).toBeNull();
  });
});
