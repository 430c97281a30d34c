import { timingSafeEqual } from "node:crypto";
import { log } from "../../log.ts";
import { readOwnUser } from "../../mattermost/users.ts";
import { revokePat, revokeUnknownToken } from "../access/pat-vault.ts";
import type { Gateway } from "./gateway.ts";
import { forgetPatOwner } from "./session.ts";

/**
 * Makes the caller's PAT worthless and closes the user's sockets, which the backend would leave open, in every process.
 * @throws CodedError `unauthorized` when the PAT is worthless already
 */
export async function logout(gateway: Gateway, pat: string, signal: AbortSignal): Promise<void> {
  const { admin, backend, identities, logouts, sockets, vault } = gateway;
  const user = await readOwnUser(backend.as(pat, signal));
  const account = (await identities.accountOf(user.id)) ?? user.username;
  const entry = await vault.read(account);
  if (entry.pat && isSame(entry.pat.token, pat)) {
    await revokePat(admin, entry.pat.tokenId);
    await vault.remove(account, entry);
  } else await revokeUnknownToken(admin, backend.as(pat), user.id);
  sockets.closeOf(user.id);
  await Promise.all([logouts.announce(user.id), forgetPatOwner(gateway, pat)]).catch((error: unknown) => {
    // The PAT is dead, which is what counts; asked again, its owner would get 401.
    log().warn({ cause: (error as Error).name }, "a logout could not be written down");
  });
}

function isSame(one: string, two: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(two)];
  return first.length === second.length && timingSafeEqual(first, second);
}
