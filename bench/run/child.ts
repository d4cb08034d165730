import { createSubject } from "../subjects/registry.ts";
import { peakMemory } from "./peak-memory.ts";
import { execute } from "./execute.ts";
import type { Assignment, Command, Reply } from "./protocol.ts";

/** A process that holds one subject and does what its parent says, one command at a time. */
const assignment: Assignment = JSON.parse(process.argv[2] ?? "");
const subject = await createSubject(assignment.subject);

let previous: Promise<unknown> = Promise.resolve();
process.on("message", (command: Command) => {
  previous = previous.then(async () => process.send?.(await reply(command)));
});
process.on("disconnect", () => {
  void subject.close().finally(() => process.exit());
});

async function reply(command: Command): Promise<Reply> {
  try {
    const done = await execute(subject, assignment, command);
    return { ...done, peakBytes: peakMemory() };
  } catch (error) {
    return {
      milliseconds: null,
      peakBytes: 0,
      error: error instanceof Error ? error.message : String(error),
    };
  }
}
