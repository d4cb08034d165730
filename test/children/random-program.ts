// Runs a random program on the file of its first argument, with the seed of its second; says a line of JSON for each fact that it was
// promised, and `closed` at last. Expects to be killed.
import { writeSync } from "node:fs";
import { runProgram } from "../logging/random-programs.ts";

const [file = "", seed = "0"] = process.argv.slice(2);
writeSync(1, "open\n");
await runProgram(file, Number(seed), (facts) => {
  for (const fact of facts) writeSync(1, `${JSON.stringify(fact)}\n`);
});
writeSync(1, "closed\n");
