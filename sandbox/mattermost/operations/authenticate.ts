import type { Backend } from "../backend.ts";
import { findAccessTokenByValue } from "../model/access-tokens.ts";
import { deleteSession, findSessionByToken, insertSession, type SessionRow } from "../model/sessions.ts";
import { findUser } from "../model/users.ts";

const ACTIVITY_STEP_MS = 5 * 60 * 1000;
const ACCESS_TOKEN_SESSION_MS = 100 * 365 * 24 * 60 * 60 * 1000;

function isOfAccessToken(session: Pick<SessionRow, "props">): boolean {
  return (JSON.parse(session.props) as { type?: string }).type === "UserAccessToken";
}

/** Whether a stored session is still good: not expired, and not of a personal access token while those are off. */
export function isSessionValid(backend: Backend, session: Pick<SessionRow, "expires_at" | "props">): boolean {
  if (session.expires_at > 0 && session.expires_at <= backend.clock.now()) return false;
  return backend.settings.enableUserAccessTokens || !isOfAccessToken(session);
}

function openAccessTokenSession(backend: Backend, token: string): SessionRow | null {
  if (!backend.settings.enableUserAccessTokens) return null;
  const accessToken = findAccessTokenByValue(backend.db, token);
  if (!accessToken?.is_active) return null;
  const user = findUser(backend.db, accessToken.user_id);
  if (!user || user.delete_at > 0) return null;
  const now = backend.clock.now();
  return insertSession(backend.db, {
    token,
    user_id: user.id,
    create_at: now,
    expires_at: now + ACCESS_TOKEN_SESSION_MS,
    device_id: "",
    roles: user.roles,
    props: JSON.stringify({ type: "UserAccessToken", user_access_token_id: accessToken.id }),
  });
}

/** The session of a session token or a personal access token (made on the latter's first use), null for any other text. */
export function authenticate(backend: Backend, token: string): SessionRow | null {
  const session = findSessionByToken(backend.db, token);
  if (!session) return openAccessTokenSession(backend, token);
  if (!isSessionValid(backend, session)) {
    if (!isOfAccessToken(session)) deleteSession(backend.db, session.id);
    return null;
  }
  const now = backend.clock.now();
  if (now - session.last_activity_at > ACTIVITY_STEP_MS) {
    backend.db.update("sessions", { id: session.id }, { last_activity_at: now });
  }
  return session;
}
