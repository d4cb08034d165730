import type { z } from "zod";

/** A schema for each member of `T`, those that may be missing too: none can be forgotten. */
export type Described<T> = { readonly [Name in keyof T]-?: z.ZodType<T[Name]> };
