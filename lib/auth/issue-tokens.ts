import { randomUUID } from "node:crypto";
import type { Tokens } from "../contract/login.ts";
import type { LoginSessions } from "./login-sessions.ts";
import type { TokenIssuer } from "./token-issuer.ts";

export type OpenedAccess = Pick<Tokens, "accessToken" | "expiresAt">;

/** Issues an access token for a login session. */
export async function issueAccess(
  issuer: TokenIssuer,
  account: string,
  sessionId: string,
): Promise<OpenedAccess> {
  const access = await issuer.issueAccess({ account, sessionId, tokenId: randomUUID() });
  return { accessToken: access.token, expiresAt: access.expiresAt };
}

/** Issues both tokens of a login session. `refreshId` is the id of its only valid refresh token. */
export async function issuePair(
  { issuer, sessions }: { issuer: TokenIssuer; sessions: LoginSessions },
  { account, sessionId, refreshId }: { account: string; sessionId: string; refreshId: string },
): Promise<Tokens> {
  return {
    ...(await issueAccess(issuer, account, sessionId)),
    refreshToken: await issuer.issueRefresh(
      { account, sessionId, tokenId: refreshId },
      sessions.lifetimeSeconds,
    ),
  };
}
