import { counted } from "../../words/figures.ts";
import { argumentsOf } from "../base/arguments.ts";
import { tool } from "../base/tool.ts";

export const listProjects = tool({
  name: "list_projects",
  title: "List projects",
  description:
    "Which projects are there, and with how many evaluations? Needed only where a tool says that there are several; where there is one, leave project out. Next: list_evaluations.",
  input: argumentsOf("cursor"),
  quotes: false,
  run: async ({ engine, signal }) => {
    const items = await engine.countEvaluations({ signal });
    return {
      items,
      says: () => [`${counted(items.length, "project")}.`],
      data: (projects) => ({ projects, total: items.length }),
      request: () => null,
    };
  },
});
