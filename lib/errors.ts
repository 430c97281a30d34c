import { shareClass } from "./async/share-class.ts";

/** Every error code that a caller can meet, with its HTTP status and the default message. */
const table = {
  invalid_json: [400, "The body is not valid JSON."],
  invalid_request: [400, "The request is not valid."],
  invalid_upgrade: [400, "This address requires a websocket upgrade."],
  unauthorized: [401, "The token is missing, expired or not valid."],
  challenge_expired: [401, "The challenge was answered too late; ask for a new one."],
  forbidden: [403, "You may not do this."],
  name_reserved: [403, "The chat server reserves this account's name; it can't become a chat user."],
  user_limit_reached: [403, "The chat server accepts no more users; ask its operator."],
  not_found: [404, "There is no such thing here."],
  conflict: [409, "The request conflicts with the current state."],
  name_taken: [
    409,
    "Another chat user has this account's name; ask the operator to resolve it (npm run doctor -- --identities).",
  ],
  payload_too_large: [413, "The body is too large."],
  unsupported_media_type: [415, "The body must be sent as application/json."],
  range_not_satisfiable: [416, "The file does not have the requested range."],
  method_not_allowed: [405, "This address does not support that method."],
  rate_limited: [429, "Too many requests; try again later."],
  internal: [500, "Something went wrong on our side."],
  backend_unreachable: [502, "The chat server can't be reached; try again in a moment."],
  chat_token_refused: [
    502,
    "The chat server refuses the gateway's token: personal access tokens are switched off there, or it was revoked; ask the operator.",
  ],
  auth_unavailable: [503, "The chain can't be read right now; try again in a moment."],
  chain_unavailable: [503, "The chain can't be reached; try again in a moment."],
  translation_unavailable: [503, "The message can't be translated right now; try again in a moment."],
  image_host_unavailable: [503, "The picture can't be uploaded right now; try again in a moment."],
  degraded: [503, "The service can't reach its own records; try again in a moment."],
  overloaded: [503, "The server is busy; try again in a moment."],
  backend_timeout: [504, "The chat server did not answer in time; try again in a moment."],
} as const satisfies Record<string, readonly [status: number, text: string]>;

export type ErrorCode = keyof typeof table;

export type Issue = { path: string; message: string };

type Details = {
  /** Shown to the caller, so it never contains upstream text, paths, tokens or host names. */
  message?: string;
  /** Logged, but never shown. */
  cause?: unknown;
  retryAfterSeconds?: number;
  /** Additional headers of the answer. */
  headers?: Readonly<Record<string, string>>;
  issues?: Issue[];
};

/** The only error with a code of the public table. Anything else thrown is a bug (500 `internal`). */
export class CodedError extends Error {
  static {
    shareClass(CodedError, "CodedError");
  }

  readonly code: ErrorCode;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly issues: Issue[] | undefined;

  constructor(code: ErrorCode, details: Details = {}) {
    const [status, text] = table[code];
    super(details.message ?? text, { cause: details.cause });
    this.name = "CodedError";
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = details.retryAfterSeconds ?? (status === 503 ? 5 : undefined);
    this.headers = details.headers ?? {};
    this.issues = details.issues;
  }
}

/** Returns whether the error has one of the codes. */
export const hasCode = (error: unknown, ...codes: ErrorCode[]): error is CodedError =>
  error instanceof CodedError && codes.includes(error.code);

/** Resolves to the answer, or to null if it fails with one of the codes. */
export async function nullOn<T>(answer: Promise<T>, ...codes: ErrorCode[]): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, ...codes)) return null;
    throw error;
  }
}

/** The code table as rows, for documents and tests. */
export const errorTable: ReadonlyArray<{ code: ErrorCode; status: number; text: string }> = (
  Object.keys(table) as ErrorCode[]
).map((code) => ({ code, status: table[code][0], text: table[code][1] }));
