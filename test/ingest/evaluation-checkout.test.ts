import { expect, it } from "vitest";
import { PROJECT, root } from "../support/records.ts";
import { scratchEngine } from "../support/scratch.ts";

it("the commit and branch of an evaluation are the first texts among its attributes that name them", async () => {
  const engine = await scratchEngine();
  const attributes = {
    none: {},
    both: { commit: "a1", revision: "b2", branch: "main" },
    nested: { git: { commit: "c3", branch: "try" } },
    dotted: { "git.commit": "d4", "git.branch": "dots" },
    later: { commit: "", git_commit: 5, revision: "e5", git_branch: "late" },
  };
  await engine.ingestCalls(Object.entries(attributes).map(([id, own]) => root(id, { attributes: own })));
  const list = await engine.listEvaluations(PROJECT);
  expect(new Map(list.map(({ id, commit, branch }) => [id, [commit, branch]]))).toEqual(
    new Map([
      ["none", [null, null]],
      ["both", ["a1", "main"]],
      ["nested", ["c3", "try"]],
      ["dotted", ["d4", "dots"]],
      ["later", ["e5", "late"]],
    ]),
  );
  await engine.ingestCalls([{ id: "none", project_id: PROJECT, attributes: { commit: "f6" } }]);
  expect((await engine.listEvaluations(PROJECT)).find(({ id }) => id === "none")?.commit).toBe("f6");
});
