import { CodedError } from "../../errors.ts";
import type { Caller } from "../../mattermost/backend.ts";
import { endOwnSession, listSessions } from "../../mattermost/sessions.ts";
import { revokePat } from "./gateway-pats.ts";

const ATTEMPTS = 3;

/**
 * Makes a token worthless that somebody else made. Which of the user's it is, the backend tells by its session alone:
 * the one that is gone after the token signed itself out. A session that is no personal access token's ends by that.
 * @throws CodedError `overloaded` while other sessions of the user end at the same time
 */
export async function revokeUnknownToken(admin: Caller, caller: Caller, userId: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await listAsCaller(caller, userId, attempt);
    if (before === null) return;
    await endOwnSession(caller);
    const left = new Set((await listSessions(admin, userId)).map(({ id }) => id));
    const [ended, ...others] = before.filter(({ id }) => !left.has(id));
    if (!ended || others.length > 0) continue;
    const tokenId = ended.props?.user_access_token_id;
    if (tokenId !== undefined) await revokePat(admin, tokenId);
    return;
  }
  throw new CodedError("overloaded");
}

/** The token's own asking makes sure that it has a session; null when an earlier attempt has ended it for good. */
async function listAsCaller(caller: Caller, userId: string, attempt: number) {
  try {
    return await listSessions(caller, userId);
  } catch (error) {
    if (attempt > 0 && error instanceof CodedError && error.code === "unauthorized") return null;
    throw error;
  }
}
