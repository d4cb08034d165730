import { StoreError } from "../errors.ts";
import { DEFAULT_CONVENTIONS, type Conventions } from "../model/conventions.ts";

/** The conventions that a database is opened with; those left out are as it was made. */
export type WantedConventions = { readonly [Name in keyof Conventions]?: Conventions[Name] | undefined };

/** What a new database is made with. */
export function chosenConventions(wanted: WantedConventions): Conventions {
  return {
    predictAndScoreOps: wanted.predictAndScoreOps ?? DEFAULT_CONVENTIONS.predictAndScoreOps,
    attributeNamespaces: wanted.attributeNamespaces ?? DEFAULT_CONVENTIONS.attributeNamespaces,
  };
}

/** Throws `StoreError` `other_conventions` where a database was made with others than those that are wanted. */
export function checkConventions(name: string, stored: Conventions, wanted: WantedConventions): void {
  for (const member of ["predictAndScoreOps", "attributeNamespaces"] as const) {
    const asked = wanted[member];
    if (asked === undefined || JSON.stringify(asked) === JSON.stringify(stored[member])) continue;
    throw new StoreError(
      "other_conventions",
      `${name}: made with ${member} ${JSON.stringify(stored[member])}, not ${JSON.stringify(asked)}; leave the option out, or load the calls into a new database`,
    );
  }
}
