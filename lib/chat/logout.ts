import { timingSafeEqual } from "node:crypto";
import { readOwnUser } from "../mattermost/users.ts";
import { listGatewayPats, revokePat } from "./bootstrap/gateway-pats.ts";
import type { Gateway } from "./gateway.ts";
import { closeSocketsOf } from "./open-sockets.ts";
import { createPatVault } from "./pat-vault.ts";

/**
 * Makes the caller's PAT worthless and closes the user's sockets, which the backend would leave open.
 * @throws CodedError `unauthorized` when the PAT is worthless already
 */
export async function logout(gateway: Gateway, pat: string, signal: AbortSignal): Promise<void> {
  const { backend, config, store } = gateway;
  const user = await readOwnUser(backend.as(pat, signal));
  const vault = createPatVault({ store, secret: config.sessionSecret });
  const entry = await vault.read(user.username);
  if (entry.pat && isSame(entry.pat.token, pat)) {
    await revokePat(gateway.admin, entry.pat.tokenId);
    await vault.remove(user.username, entry);
  } else {
    // A token from before the store was lost. Which of the gateway's it is, the backend does not tell: all the old ones go.
    const old = await listGatewayPats(gateway.admin, user.id);
    const others = old.filter(({ id }) => id !== entry.pat?.tokenId);
    await Promise.all(others.map(({ id }) => revokePat(gateway.admin, id)));
  }
  closeSocketsOf(user.id);
}

function isSame(one: string, two: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(two)];
  return first.length === second.length && timingSafeEqual(first, second);
}
