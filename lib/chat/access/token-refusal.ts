import { z } from "zod";
import { CodedError } from "../../errors.ts";
import { log } from "../../log.ts";
import type { MattermostSession } from "../../mattermost/backend.ts";
import { BackendRefusal } from "../../mattermost/backend-error.ts";

/** A database that is down makes the server refuse every token. */
const Ping = z.object({ status: z.literal("OK"), database_status: z.literal("OK").default("OK") });

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
 * answers like one that never knew the token. Other errors come back as they are.
 */
export async function explainRefusal(admin: MattermostSession, error: unknown): Promise<unknown> {
  if (!(error instanceof CodedError) || error.code !== "backend_unreachable") return error;
  if (!(error.cause instanceof BackendRefusal) || error.cause.status !== 401) return error;
  try {
    await admin.call("GET", "/system/ping?get_server_status=true", Ping);
  } catch {
    return error;
  }
  return tokenRefused(error.cause);
}
