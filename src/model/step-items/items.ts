import type { Json } from "../json.ts";
import type { TokenSums } from "../token-counts.ts";

/** When a step began and ended, in microseconds since 1970; `seconds` where only its length is known. */
interface ItemTimes {
  readonly startedAt?: bigint | null;
  readonly endedAt?: bigint | null;
  readonly seconds?: number | null;
}

/** A call of a model. What is null or absent is not known. */
export interface ChatItem extends ItemTimes {
  readonly kind: "chat";
  readonly model?: string | null;
  /** What was said since the chat before, without results that a tool holds. */
  readonly messages?: readonly Json[];
  /** The message of the assistant. */
  readonly output?: Json | undefined;
  readonly tokens?: TokenSums | null;
  /** In US dollars. */
  readonly cost?: number | null;
  readonly finishReason?: string | null;
  readonly errorType?: string | null;
}

/** A call of a tool. */
export interface ToolItem extends ItemTimes {
  readonly kind: "tool";
  readonly name: string;
  readonly id?: string | null;
  readonly arguments?: Json | undefined;
  /** Undefined where there is none. */
  readonly result?: Json | undefined;
  readonly errorType?: string | null;
  readonly exception?: string | null;
  /** Whether nothing says if it failed. */
  readonly isErrorUnknown?: boolean;
}

/** What another agent did. */
export interface FrameItem extends ItemTimes {
  readonly kind: "frame";
  readonly name: string;
  readonly items: readonly StepItem[];
}

/** What an agent did, in the order of its source. */
export type StepItem = ChatItem | ToolItem | FrameItem;
