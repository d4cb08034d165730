import { z } from "zod";
import { compactJson, isJsonObject, type JsonObject } from "../model/json.ts";
import { memberTexts } from "../model/member-texts.ts";
import { plainText, projectId } from "../model/arguments.ts";
import { parseReference, projectOfTarget } from "../model/references.ts";
import { foldDetails, SCORER_DETAILS, type ScorerDetails } from "../store/scorer-details.ts";

export type { ScorerDetails };

const reference = (example: string) =>
  plainText
    .refine((text) => parseReference(text) !== null, `must be a reference such as ${example}`)
    .meta({
      examples: [example],
    });

const objectRef = reference("svc:///acme/qa/object/judge:v1");
const opRef = reference("svc:///acme/qa/op/score:v1");
const callRef = reference("svc:///acme/qa/call/0198b0d4");
const target = plainText
  .refine(
    (text) => projectOfTarget(text) !== null,
    "must be a reference such as svc:///acme/qa/call/0198b0d4",
  )
  .meta({ examples: ["svc:///acme/qa/call/0198b0d4"] });

/** Schema of a feedback record as a client sends it. A null optional member counts as left out. */
export const feedbackRecordSchema = z
  .strictObject({
    project_id: projectId,
    svc_ref: target.meta({ description: "The object, op or call that the feedback is attached to" }),
    feedback_type: plainText.min(1).meta({ examples: ["svc.note.1"] }),
    payload: z.custom<JsonObject>(isJsonObject, "must be an object").meta({ type: "object" }),
    id: plainText.min(1).max(128).nullish(),
    creator: z.string().nullish(),
    annotation_ref: objectRef.nullish(),
    runnable_ref: opRef.nullish(),
    call_ref: callRef.nullish(),
    trigger_ref: objectRef.nullish(),
    queue_id: z.string().nullish(),
    weave: z
      .looseObject({})
      .nullish()
      .meta({ description: "What SDKs of W&B Weave send beside these members" }),
    ...SCORER_DETAILS,
    wb_user_id: z.null().optional().meta({ description: "As svc_user_id" }),
    svc_user_id: z.null().optional().meta({ description: "Must not be sent: the server fills it in" }),
  })
  .meta({ id: "FeedbackRecord" });

/** A feedback record that was read and checked. */
export type ParsedFeedback = z.output<typeof feedbackRecordSchema>;

/** Feedback as a client sends it. */
export interface FeedbackRecord extends ScorerDetails {
  /** Project of the feedback, `entity/project`. */
  readonly project_id: string;
  /**
   * The object, op or call of that project that the feedback is attached to, such as `svc:///acme/qa/call/0198b0d4`.
   */
  readonly svc_ref: string;
  /** Type of the feedback, such as `svc.note.1` or `svc.annotation.correct`; not empty. */
  readonly feedback_type: string;
  /** Content of the feedback, a JSON object of at most 1 MiB. */
  readonly payload: object;
  /**
   * Id of the feedback, at most 128 characters; sending it again with the same content changes nothing. Default: a new
   * UUID.
   */
  readonly id?: string | null | undefined;
  /** Human-readable name of the giver. */
  readonly creator?: string | null | undefined;
  /** The annotation form that was filled in. */
  readonly annotation_ref?: string | null | undefined;
  /** The op that gave the feedback, where no person did. */
  readonly runnable_ref?: string | null | undefined;
  /** The call of that op. */
  readonly call_ref?: string | null | undefined;
  /** Reference to the trigger of that op. */
  readonly trigger_ref?: string | null | undefined;
  /** The annotation queue that the feedback came from. */
  readonly queue_id?: string | null | undefined;
  /** The members of {@link ScorerDetails} together, and others that are kept with them. */
  readonly weave?: object | null | undefined;
  /** Must not be sent: `userId` of the options says who gives the feedback. */
  readonly svc_user_id?: null | undefined;
}

/** Members with the content of the feedback; a repeated request must agree in them. */
const CONTENT = [
  "project_id",
  "svc_ref",
  "feedback_type",
  "payload",
  "creator",
  "annotation_ref",
  "runnable_ref",
  "call_ref",
  "trigger_ref",
  "queue_id",
  "weave",
] as const;

/**
 * The content of a record from its JSON text, with every digit kept and without members that are null or left out.
 */
export function contentOf(text: string): string {
  const texts = foldDetails(memberTexts(text));
  const members = CONTENT.flatMap((name) => {
    const value = texts.get(name) ?? "null";
    return value === "null" ? [] : [`${JSON.stringify(name)}:${compactJson(value)}`];
  });
  return `{${members.join(",")}}`;
}

/** The JSON text of the payload in a text from {@link contentOf}. */
export function payloadOf(content: string): string {
  return memberTexts(content).get("payload") ?? "{}";
}
