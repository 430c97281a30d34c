import { CodedError } from "../../errors.ts";
import {
  type AccessToken,
  createAccessToken,
  listAccessTokens,
  revokeAccessToken,
} from "../../mattermost/access-tokens.ts";
import type { Caller } from "../../mattermost/backend.ts";
import { isRefusal } from "../../mattermost/backend-error.ts";
import type { Pat } from "./pat-vault.ts";
import { tokenRefused } from "./token-refusal.ts";

/** The backend does not tell when a token was made, so the description does. */
const MARK = "hivegate chat ";
const MOST_KEPT = 5;

/** The tokens that a gateway made for the user, oldest first. */
export async function listGatewayPats(admin: Caller, userId: string): Promise<AccessToken[]> {
  const own = (await listAccessTokens(admin, userId)).filter(({ description }) =>
    description.startsWith(MARK),
  );
  return own.sort((one, two) => compare(one.description, two.description));
}

const compare = (one: string, two: string) => (one < two ? -1 : Number(one > two));

/** Makes a token for the user. @throws CodedError `chat_token_refused` while the backend makes none */
export async function mintPat(admin: Caller, userId: string): Promise<Pat> {
  try {
    const made = await createAccessToken(admin, userId, MARK + new Date().toISOString());
    return { userId, tokenId: made.id, token: made.token };
  } catch (error) {
    throw isRefusal(error, "app.user_access_token.disabled") ? tokenRefused(error) : error;
  }
}

/** Revokes the oldest of the gateway's tokens for the user, so that with a new one there are at most five. */
export async function revokeOldestPats(admin: Caller, userId: string): Promise<void> {
  const pats = await listGatewayPats(admin, userId);
  const surplus = pats.slice(0, Math.max(0, pats.length - (MOST_KEPT - 1)));
  await Promise.all(surplus.map(({ id }) => revokePat(admin, id)));
}

/** Revokes a token; one that is gone already is fine. */
export async function revokePat(admin: Caller, tokenId: string): Promise<void> {
  try {
    await revokeAccessToken(admin, tokenId);
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== "not_found") throw error;
  }
}
