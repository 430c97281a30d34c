import type { ZodType } from "zod";
import type { ErrorCode } from "../errors.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import type { AnswerName } from "./answers.ts";

/** What a route does, takes and answers: the document, the reference and the tests are made from it. */
export type Operation = {
  summary: string;
  /** Markdown: what the fields alone don't tell. */
  description: string;
  /** `none` where no PAT is needed; `metrics` has a token of its own. */
  auth?: "none" | "metrics";
  body?: ZodType;
  /** The body may be left out. */
  isBodyOptional?: true;
  /** How large the body may be, in bytes, where it is not the common limit. */
  bodyBytes?: number;
  query?: ZodType;
  /** Quotas beside that of writes, which everything has that changes something with a PAT. */
  limits?: ReadonlyArray<RateLimit<never>>;
  /** The success: a JSON schema by name, the media type of what is no JSON, or a websocket. */
  answer: AnswerName | { mediaType: string } | { upgrade: "websocket" };
  /** Whether it carries an `ETag`, so that who has it already is told so. */
  isTagged?: true;
  /** Codes that are its own, beside those every operation of its kind has. */
  failures?: readonly ErrorCode[];
  /** Failures by status whose body is not the common one. */
  failureAnswers?: Readonly<Partial<Record<number, AnswerName>>>;
};

type Method = "get" | "post" | "patch" | "delete";

/** Operations by path template and method. */
export type Operations = Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>;
