import { randomBytes } from "node:crypto";
import { endAllSessions, listAccessTokens } from "../../mattermost/access-tokens.ts";
import type { MattermostSession } from "../../mattermost/backend.ts";
import { changeUser, setPassword, type User } from "../../mattermost/users.ts";
import { writeAudit } from "../access/audit-log.ts";
import { revokePat } from "../access/pat-vault.ts";
import type { UserAddresses } from "../access/user-addresses.ts";

/** A password nobody knows. The letters, digits and sign at the end satisfy servers that ask for all classes. */
export function drawPassword(): string {
  return `${randomBytes(24).toString("base64url")}aA1!`;
}

/**
 * Shuts out whoever could get into the user until now: by password, by a mail to its address, by a session, or by a
 * token other than `keptTokenId`. The account's address comes last: a user whom a failure left half taken over has the
 * pending one, and is taken over again. Returns the user as it is then; the backend keeps the former address where it
 * wants new ones verified.
 */
export async function takeOver(
  { admin, addresses }: { admin: MattermostSession; addresses: UserAddresses },
  account: string,
  userId: string,
  keptTokenId?: string,
): Promise<User> {
  await changeUser(admin, userId, { email: addresses.pendingOf(account) });
  await setPassword(admin, userId, drawPassword());
  for (const { id } of await listAccessTokens(admin, userId))
    if (id !== keptTokenId) await revokePat(admin, id);
  await endAllSessions(admin, userId);
  const user = await changeUser(admin, userId, { email: addresses.of(account) });
  writeAudit({ action: "take_over_user", account, userId, outcome: "done" });
  return user;
}
