import { z } from "zod";
import { Done, type MattermostSession, path } from "./backend.ts";

const AccessToken = z.object({ id: z.string(), description: z.string(), is_active: z.boolean() });
export type AccessToken = z.infer<typeof AccessToken>;

const NewAccessToken = AccessToken.extend({ token: z.string().regex(/^[a-z0-9]{26}$/) });

/** Makes a personal access token for a user; the only answer that holds the token itself. */
export function createAccessToken(
  admin: MattermostSession,
  userId: string,
  description: string,
): Promise<z.infer<typeof NewAccessToken>> {
  return admin.call("POST", path`/users/${userId}/tokens`, NewAccessToken, { description });
}

const PER_PAGE = 200;

/** A user's personal access tokens, without the tokens themselves. */
export async function listAccessTokens(admin: MattermostSession, userId: string): Promise<AccessToken[]> {
  const listed: AccessToken[] = [];
  for (let page = 0; ; page++) {
    const query = `page=${page}&per_page=${PER_PAGE}`;
    const some = await admin.call("GET", `${path`/users/${userId}/tokens`}?${query}`, z.array(AccessToken));
    listed.push(...some);
    if (some.length < PER_PAGE) return listed;
  }
}

/** Makes a token worthless at once. @throws CodedError `not_found` */
export async function revokeAccessToken(admin: MattermostSession, tokenId: string): Promise<void> {
  await admin.call("POST", "/users/tokens/revoke", Done, { token_id: tokenId });
}

const Session = z.object({
  id: z.string(),
  props: z.object({ user_access_token_id: z.string().optional() }).nullish(),
});

/** The sessions of a user; that of a personal access token names the token's id. */
export async function listSessions(
  caller: MattermostSession,
  userId: string,
): Promise<z.infer<typeof Session>[]> {
  return (await caller.call("GET", path`/users/${userId}/sessions`, z.array(Session).nullable())) ?? [];
}

/** Ends all sessions of a user; a personal access token gets a new one with its next use. */
export async function endAllSessions(admin: MattermostSession, userId: string): Promise<void> {
  await admin.call("POST", path`/users/${userId}/sessions/revoke/all`, Done);
}

/** Ends the caller's session. A personal access token gets a new one with its next use. */
export async function endOwnSession(caller: MattermostSession): Promise<void> {
  await caller.call("POST", "/users/logout", Done);
}
