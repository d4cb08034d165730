// Calls the storage of evalite as its runner does, one result after another, until it is killed; then `process.exit`. Lastly the eval
// has an end (`end`), has had one after each result (`each`), or has none (`none`), where the status says so.
import { evalcubeStorage } from "../../src/runners/evalite.ts";
import { memoryStorage } from "../runners/memory-storage.ts";

const [db = "", results = "0", lastly = "end"] = process.argv.slice(2);
const storage = await evalcubeStorage({ db, project: "acme/qa", run: "r1" }, memoryStorage("older"));
await storage.runs.create({ runType: "full" });
const { id: evalId } = await storage.evals.create({
  runId: 1,
  name: "sums",
  filepath: "/evals/sums.eval.ts",
});
for (let order = 0; order < Number(results); order++) {
  const made = await storage.results.create({
    evalId,
    order,
    input: "",
    expected: "",
    output: null,
    duration: 0,
    status: "running",
  });
  const ended = { input: { order }, expected: undefined, output: `${order}`, duration: 5, status: "success" };
  await storage.results.update({ id: made.id, ...ended });
  await storage.scores.create({ resultId: made.id, name: "right", score: 1 });
  await storage.scores.create({ resultId: made.id, name: "kind", score: 0.5 });
  // As evalite does where no other result is under way.
  if (lastly === "each") await storage.evals.update({ id: evalId, status: "success" });
  process.stdout.write(`${order}\n`);
  await new Promise((resolve) => setImmediate(resolve));
}
if (lastly === "end") await storage.evals.update({ id: evalId, status: "success" });
process.exit(lastly === "none" ? 3 : 0);
