import { randomBytes } from "node:crypto";
import { endAllSessions, listAccessTokens } from "../../mattermost/access-tokens.ts";
import type { Caller } from "../../mattermost/backend.ts";
import { changeUser, setPassword, type User } from "../../mattermost/users.ts";
import { writeAudit } from "../access/audit-log.ts";
import { revokePat } from "../access/pat-vault.ts";

/** A password nobody knows. The letters, digits and sign at the end satisfy servers that ask for all classes. */
export function drawPassword(): string {
  return `${randomBytes(24).toString("base64url")}aA1!`;
}

/**
 * Shuts out whoever could get into the user until now: by password, by a mail to its address, by a session, or by a
 * token other than `keptTokenId`. A failure leaves it half done: bind the user only after it, and until then do it
 * again. Returns the user as it is then; the backend keeps the former address where it wants new ones verified.
 */
export async function takeOver(
  admin: Caller,
  account: string,
  userId: string,
  { address, keptTokenId }: { address: string; keptTokenId?: string | undefined },
): Promise<User> {
  await setPassword(admin, userId, drawPassword());
  const user = await changeUser(admin, userId, { email: address });
  for (const { id } of await listAccessTokens(admin, userId))
    if (id !== keptTokenId) await revokePat(admin, id);
  await endAllSessions(admin, userId);
  writeAudit({ action: "take_over_user", account, userId, outcome: "done" });
  return user;
}
