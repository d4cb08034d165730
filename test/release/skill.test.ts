import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const SKILLS = path.join(import.meta.dirname, "../../skills");

/** What the format of Agent Skills (agentskills.io) allows besides a name and a description. */
const OPTIONAL = new Set(["license", "compatibility", "metadata", "allowed-tools"]);

/** What is wrong with a skill by the format; its folder is named `folder`. */
function skillFaults(folder: string, text: string): string[] {
  const [, front] = /^---\n([^]*?)\n---\n/.exec(text) ?? [];
  if (front === undefined) return ["no frontmatter"];
  const { name, description, ...others } = parse(front) as Record<string, unknown>;
  const faults = Object.keys(others)
    .filter((one) => !OPTIONAL.has(one))
    .map((one) => `unknown member ${one}`);
  if (typeof name !== "string" || !/^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    faults.push("bad name");
  if (name !== folder) faults.push("another name than its folder");
  if (typeof description !== "string" || description.trim() === "" || description.length > 1024)
    faults.push("bad description");
  if (typeof others["license"] !== "string") faults.push("no license");
  if (text.split("\n").length >= 500) faults.push("too long");
  return faults;
}

it.each(readdirSync(SKILLS))("the skill %s is in the format of Agent Skills", (folder) => {
  expect(skillFaults(folder, readFileSync(path.join(SKILLS, folder, "SKILL.md"), "utf8"))).toEqual([]);
});

const skill = (front: string) => `---\n${front}\n---\n# A skill\n`;

describe("what checks skills", () => {
  it.each([
    ["# A skill\n", "no frontmatter"],
    [skill("name: a\nlicense: MIT"), "bad description"],
    [skill("name: A\ndescription: b\nlicense: MIT"), "bad name"],
    [skill("name: b\ndescription: b\nlicense: MIT"), "another name than its folder"],
    [skill("name: a\ndescription: b\nlicense: MIT\nversion: 1"), "unknown member version"],
    [skill(`name: a\ndescription: ${"b".repeat(1025)}\nlicense: MIT`), "bad description"],
    [skill("name: a\ndescription: b\nlicense: MIT") + "\n".repeat(500), "too long"],
  ])("tells %j", (text, fault) => {
    expect(skillFaults("a", text)).toContain(fault);
  });

  it("tells nothing of a good one", () => {
    expect(skillFaults("a", skill("name: a\ndescription: b\nlicense: MIT"))).toEqual([]);
  });
});
