import { z } from "zod";
import { writeJson } from "../../../model/json.ts";
import { ASK_STORED, storedQuestionWire, type StoredQuestion } from "../../../request/stored-question.ts";
import { jsonAnswer } from "../../wire/answer.ts";
import { readProjectRequest } from "../read-request.ts";
import type { ProtectedRoute } from "../route.ts";
import { offered } from "../service.ts";

export const storedResults: ProtectedRoute = {
  method: "POST",
  path: "/v2/{entity}/{project}/stored",
  access: "basic",
  id: "askStored",
  reads: true,
  summary: "What is stored of runs, trials and rows, for whoever adds to them",
  body: storedQuestionWire,
  reply: z.unknown().meta({ id: "Stored", description: "Changes with releases." }),
  example: { request: { ask: "trial_count", root: "run-1" }, reply: 4 },
  async run(service, asked, principal) {
    const { projectId, request } = await readProjectRequest(service, asked, principal);
    const ask = offered(service.engine[ASK_STORED]);
    return jsonAnswer(writeJson(await ask(projectId, request as StoredQuestion)));
  },
};
