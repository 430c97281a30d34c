import { CodedError } from "../../errors.ts";
import { log } from "../../log.ts";
import { BackendRefusal } from "../../mattermost/backend-error.ts";
import type { ServerStatus } from "../../mattermost/server-status.ts";

/** The error of a server that makes no tokens or takes none of the service's; the log says what to do about it. */
export function tokenRefused(cause: unknown): CodedError {
  log().error(
    { code: "chat_token_refused" },
    "the chat server refuses CHAT_ADMIN_TOKEN, or to make tokens: turn on ServiceSettings.EnableUserAccessTokens there (System Console > Integrations), or make a new token; npm run doctor tells which",
  );
  return new CodedError("chat_token_refused", { cause });
}

/**
 * Names the service's own token as the reason of a failure: while personal access tokens are switched off the backend
 * answers like one that never knew the token, as it does while its database is down. Other errors come back as they are.
 */
export async function explainRefusal(
  serverStatus: () => Promise<ServerStatus>,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof CodedError) || error.code !== "backend_unreachable") return error;
  if (!(error.cause instanceof BackendRefusal) || error.cause.status !== 401) return error;
  try {
    if (!(await serverStatus()).isDatabaseUp) return error;
  } catch {
    return error;
  }
  return tokenRefused(error.cause);
}
