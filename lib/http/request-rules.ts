import type { ZodType } from "zod";
import type { RateLimit } from "./rate-limit.ts";

/** The conditions that a request must meet before its handler runs. */
export type RequestRules = {
  /** `none` requires no PAT, and `metrics` its own token. Without either, callers need a PAT. */
  auth?: "none" | "metrics";
  body?: ZodType;
  /** A request without a content type counts as one with the body `{}`. */
  isBodyOptional?: true;
  /** True if the handler reads the body itself and refuses it in a protocol's own format. */
  hasOwnBodyCheck?: true;
  /** Maximum body in bytes, if it differs from the common limit. */
  bodyBytes?: number;
  query?: ZodType;
  /** Quotas in addition to that of writes, which applies to every change made with a PAT. */
  limits?: ReadonlyArray<RateLimit<never>>;
  /** `Cache-Control` of a success; `no-store` by default. */
  cache?: string;
};
