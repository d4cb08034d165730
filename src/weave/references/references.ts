import { z } from "zod";
import { textList } from "../../model/arguments.ts";
import type { RecordStore } from "../../store/session.ts";
import { authorize, meaningFault, readRequest } from "../request/read-request.ts";
import type { WeaveCaller } from "../request/seam.ts";
import { createHold, writeListAnswer } from "../request/long-answers.ts";
import { parseWeaveReference, type WeaveReference } from "./reference.ts";
import { createResolver, resolveReference } from "./resolve.ts";

const MOST_REFERENCES = 1000;

export const readReferencesRequest = z.looseObject({ refs: textList }).meta({ id: "WeaveReferences" });
export const referencesReply = z.object({ vals: z.array(z.unknown()) }).meta({ id: "WeaveReferencesReply" });

/** Reads what references lead to. Requests and answers are JSON texts. */
export interface WeaveReferences {
  /**
   * The values of up to 1,000 references, in order, in pieces; null for a path that leads nowhere. Rejects with `not_found` before the
   * first.
   */
  readonly readReferences: (request: string, caller: WeaveCaller) => AsyncGenerator<string, void, undefined>;
}

export function createReferences(store: RecordStore): WeaveReferences {
  return {
    readReferences: async function* (request, caller) {
      const { refs } = await readRequest(request, readReferencesRequest, caller);
      if (refs.length > MOST_REFERENCES)
        throw meaningFault(["refs"], `must be at most ${MOST_REFERENCES} references`);
      const references = refs.map(readReference);
      for (const projectId of new Set(references.map((one) => one.projectId))) authorize(caller, projectId);
      const values = await store.read(async (session) => {
        const resolver = createResolver(session, store.turns, (projectId) => mayRead(caller, projectId));
        const hold = createHold("refs", "ask for fewer at once");
        const found: string[] = [];
        for (const one of references) found.push(hold(await resolveReference(resolver, one)));
        return found;
      }, caller.signal);
      yield* writeListAnswer("vals", values);
    },
  };
}

function readReference(text: string, i: number): WeaveReference {
  const reference = parseWeaveReference(text);
  if (reference === null)
    throw meaningFault(["refs", i], "must be a reference such as weave:///acme/qa/object/sums:latest");
  if (reference.target.kind === "call") throw meaningFault(["refs", i], "must not be a reference to a call");
  return reference;
}

/** A value may refer to a project that the caller may not use: it leads nowhere then. */
function mayRead(caller: WeaveCaller, projectId: string): boolean {
  try {
    authorize(caller, projectId);
    return true;
  } catch {
    return false;
  }
}
