import { appendFileSync, readFileSync } from "node:fs";
import { openEngine } from "../../../../src/index.ts";
import { applyOperation } from "../apply.ts";
import type { Operation } from "../operations.ts";

/** Does operations, says after each that it is done, and closes the database or is killed, as the plan says. */
interface Plan {
  readonly database: string;
  readonly marks: string;
  readonly threads: number;
  readonly end: "kill" | "close";
  readonly operations: readonly Operation[];
}

const plan = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Plan;
const engine = await openEngine({ path: plan.database, threads: plan.threads });
for (const operation of plan.operations) {
  await applyOperation(engine, operation);
  appendFileSync(plan.marks, "acknowledged\n");
}
if (plan.end === "kill") process.kill(process.pid, "SIGKILL");
await engine.close();
