import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { EvalcubeError } from "../../src/errors.ts";
import { failureOf } from "../../src/cli/terminal/failure.ts";
import { noteAll } from "../../src/cli/terminal/terminal.ts";

const NAME = "two\n\u001b[31mlines";

it("a name that is quoted in a note or an error ends no line and colours nothing", async () => {
  const stderr = new PassThrough();
  const rest = { stdin: new PassThrough(), stdout: new PassThrough(), signal: new AbortController().signal };
  await noteAll({ ...rest, stderr, isQuiet: () => false, keyFile: () => undefined }, [`${NAME} is old`]);
  expect(String(stderr.read())).toBe("note: two [31mlines is old\n");
  const { text } = failureOf(new EvalcubeError("malformed_file", `\u001b]0;x\u0007${NAME}`), true);
  expect(text).toBe("evalcube:  ]0;x two\n [31mlines\n");
});
