import { readFileSync, writeFileSync } from "node:fs";
import { expectedAfterEach } from "../expected.ts";
import type { Operation } from "../operations.ts";

/** Writes what is expected after each of the operations of its first argument to its second. */
const [, , operations = "", out = ""] = process.argv;
const expected = await expectedAfterEach(JSON.parse(readFileSync(operations, "utf8")) as Operation[]);
writeFileSync(out, JSON.stringify(expected));
