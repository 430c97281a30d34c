import { CodedError } from "../../errors.ts";
import { isEnough } from "../../hive/access-token.ts";
import { readPostingAuthorities } from "../../hive/accounts.ts";
import { log } from "../../log.ts";
import { readUsers } from "../../mattermost/users.ts";
import { isStaff, writeAudit } from "../access/identities.ts";
import { listGatewayPats, type Pat, revokePat } from "../access/pat-vault.ts";
import type { Gateway, PatOwner } from "./gateway.ts";
import { forgetPatOwner, hashPat } from "./pat-owners.ts";

type TokenParts = Pick<Gateway, "admin" | "caches" | "store" | "sockets" | "logouts" | "tokens">;

/**
 * Revokes a PAT and closes its websockets, which Mattermost would leave open, in every process.
 * @throws CodedError what Mattermost refuses or fails with
 */
export async function endPat(parts: TokenParts, { tokenId, token }: Pick<Pat, "tokenId" | "token">) {
  await revokePat(parts.admin, tokenId);
  await closeEnded(parts, hashPat(token));
}

/** Closes the websockets of a PAT that is revoked, in every process. Never rejects. */
export async function closeEnded(parts: TokenParts, patHash: string): Promise<void> {
  parts.sockets.closeOf(patHash);
  parts.tokens.refuse(patHash);
  await Promise.all([parts.logouts.announce(patHash), forgetPatOwner(parts, patHash)]).catch(
    (error: unknown) => {
      // The PAT is dead, which is what counts; asked again, its owner would get 401.
      log().warn({ cause: (error as Error).name }, "the end of a token could not be written down");
    },
  );
}

const ATTEMPTS = 5;

/**
 * Ends those of an account's tokens that `isEnded` picks; revoked before they leave the vault, so that a process that is
 * killed in between leaves none that works. Returns the ended ones.
 * @throws CodedError `overloaded` while others write to the account's entry all the time
 */
export async function endPats(
  parts: TokenParts & Pick<Gateway, "vault">,
  account: string,
  isEnded: (pat: Pat) => boolean,
): Promise<Pat[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const entry = await parts.vault.read(account);
    const ended = entry.pats.filter(isEnded);
    if (ended.length === 0) return [];
    await Promise.all(ended.map((pat) => endPat(parts, pat)));
    const kept = entry.pats.filter((pat) => !ended.includes(pat));
    if (await parts.vault.write(account, entry, kept)) return ended;
  }
  throw new CodedError("overloaded");
}

/**
 * Ends what nobody may use any more: the tokens of sign-ins whose posting key the account has dropped, and all of those
 * who have become staff. What the chain or Mattermost can't tell ends nothing.
 */
export async function endUnprovenTokens(gateway: Gateway, owners: readonly PatOwner[]): Promise<void> {
  const { admin, hive } = gateway;
  const keyed = new Set(owners.flatMap(({ username, key }) => (key === null ? [] : [username])));
  const [authorities, users] = await Promise.allSettled([
    readPostingAuthorities(hive, [...keyed]),
    readUsers(admin, [...new Set(owners.map(({ id }) => id))]),
  ]);
  if (users.status === "fulfilled")
    for (const user of users.value)
      if (isStaff(user))
        for (const owner of owners) if (owner.id === user.id) await endOfStaff(gateway, owner);
  if (authorities.status === "rejected") return;
  const isDropped = (account: string, key: string | null | undefined) =>
    typeof key === "string" && !isEnough(authorities.value.get(account) ?? null, key);
  const dropped = owners.filter(({ username, key }) => isDropped(username, key));
  for (const { id, username } of new Map(dropped.map((owner) => [owner.username, owner])).values())
    await audited({ account: username, userId: id, reason: "key_changed" }, () =>
      endPats(gateway, username, ({ signIn }) => isDropped(username, signIn?.key)),
    );
}

async function endOfStaff(gateway: Gateway, { id, username }: PatOwner): Promise<void> {
  await audited({ account: username, userId: id, reason: "rights_raised" }, async () => {
    await endPats(gateway, username, ({ userId }) => userId === id);
    const lost = await listGatewayPats(gateway.admin, id);
    await Promise.all(lost.map((pat) => revokePat(gateway.admin, pat.id)));
  });
}

type Ending = { account: string; userId: string; reason: "key_changed" | "rights_raised" };

async function audited(ending: Ending, end: () => Promise<unknown>): Promise<void> {
  try {
    await end();
    writeAudit({ action: "end_sign_ins", ...ending, outcome: "done" });
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    writeAudit({ action: "end_sign_ins", ...ending, outcome: "failed" });
  }
}
