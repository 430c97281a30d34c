import type { ZodType } from "zod";
import type { RateLimit } from "./rate-limit.ts";

/** The conditions that a request meets before its handler sees it. */
export type RequestRules = {
  /** `none` where no PAT is needed; `metrics` has a token of its own. Everything else refuses callers without a PAT. */
  auth?: "none" | "metrics";
  body?: ZodType;
  /** A request without a content type counts as one whose body is `{}`. */
  isBodyOptional?: true;
  /** The handler reads the body itself and refuses it in a protocol's own words. */
  hasOwnBodyCheck?: true;
  /** Largest body in bytes, where it is not the common limit. */
  bodyBytes?: number;
  query?: ZodType;
  /** Quotas beside that of writes, which everything has that changes something with a PAT. */
  limits?: ReadonlyArray<RateLimit<never>>;
  /** `Cache-Control` of a success; `no-store` otherwise. */
  cache?: string;
};
