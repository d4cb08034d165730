import type { InputPath } from "../../errors.ts";

/** What is wrong with one record and where in it; the loader adds the source and the position. */
export class InvalidRecord extends Error {
  readonly path: InputPath;
  readonly reason: string;

  constructor(path: InputPath, reason: string) {
    super(reason);
    this.name = "InvalidRecord";
    this.path = path;
    this.reason = reason;
  }
}
