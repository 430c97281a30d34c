import { assertUnreservedName, writeAudit } from "../chat/access/identities.ts";
import { userLockOf } from "../chat/people/ensure-user.ts";
import {
  bindUser,
  findOwnUser,
  findUser,
  type IdentityParts,
  restoreName,
  takeOver,
} from "../chat/people/find-account-user.ts";
import type { Config } from "../config.ts";
import { CodedError, nullOn } from "../errors.ts";
import { isAccountName } from "../hive/account-name.ts";
import { isStaff, readUser, type User } from "../mattermost/users.ts";
import { withLock } from "../store/lock.ts";
import { type Finding, fault, fine } from "./examine-nodes.ts";
import { allUsers, MOST_LISTED, withIdentities } from "./with-identities.ts";

const LOCK_WAIT_MS = 30_000;

/**
 * Reports for every chat user whether it belongs to the account that it is named after, or binds the users of
 * the given `names` to their accounts.
 */
export function reviewIdentities(config: Config, names: readonly string[]): Promise<Finding[]> {
  return withIdentities(config, "identities", async (parts) => {
    if (names.length === 0) return listIdentities(parts);
    const findings: Finding[] = [];
    for (const name of names) findings.push(await adopt(parts, name));
    return findings;
  });
}

async function listIdentities({ admin, identities, addresses }: IdentityParts): Promise<Finding[]> {
  const accounts = new Map(
    (await identities.list(MOST_LISTED)).map(({ account, userId }) => [userId, account]),
  );
  const findings: Finding[] = [];
  let bound = 0;
  for await (const user of allUsers(admin)) {
    const account = accounts.get(user.id);
    accounts.delete(user.id);
    if (account === user.username) bound += 1;
    else if (account !== undefined) findings.push(renamed(account, user));
    else if (isAccountName(user.username) && !isStaff(user))
      findings.push(unbound(user, user.email === addresses.formerOf(user.username)));
  }
  for (const [userId, account] of accounts)
    findings.push(
      fault(
        account,
        `its chat user ${userId} is gone`,
        "It gets a new one when it signs in, if its name is free.",
      ),
    );
  return [fine("identities", `${bound} accounts have a chat user of their name`), ...findings];
}

const renamed = (account: string, { id, username }: User) =>
  fault(
    account,
    `its chat user ${id} is called ${username}`,
    `To call it by its name: ${adoptCommand(account)}`,
  );

function unbound({ id, username }: User, isFormer: boolean): Finding {
  const detail = `the chat user ${id} of this name belongs to no account yet`;
  return isFormer
    ? fine(username, `${detail}; an earlier version made it, and it is adopted when the account signs in`)
    : fault(
        username,
        detail,
        `Is it the account's? ${adoptCommand(username)} (shuts out whoever can sign in to it now). Else rename it in Mattermost.`,
      );
}

const adoptCommand = (account: string) => `npm run doctor -- --adopt ${account}`;

async function adopt(parts: IdentityParts, account: string): Promise<Finding> {
  try {
    if (!isAccountName(account))
      return fault(account, "is no account's name", "Give the name as the chain has it.");
    assertUnreservedName(account);
    return await withLock(parts.store, userLockOf(account), AbortSignal.timeout(LOCK_WAIT_MS), () =>
      settle(parts, account),
    );
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return fault(account, error.code, `${error.message} ${adviceOf(error)}`.trim());
  }
}

const adviceOf = ({ code }: CodedError) =>
  code === "name_taken" ? "Rename whoever has it in Mattermost (mmctl user username), then try again." : "";

async function settle(parts: IdentityParts, account: string): Promise<Finding> {
  const { admin, identities, addresses } = parts;
  const boundId = await identities.userOf(account);
  const bound = boundId === null ? null : await nullOn(readUser(admin, boundId), "not_found");
  if (bound) {
    await restoreName(admin, account, bound);
    return fine(account, `has its chat user ${bound.id}, which bears its name`);
  }
  const user = await findUser(admin, account);
  if (!user) return fault(account, "there is no chat user of this name", "It gets one when it signs in.");
  const owner = await identities.accountOf(user.id);
  if (owner !== null && owner !== account)
    return fault(
      account,
      `the chat user ${user.id} is ${owner}'s`,
      `Give it its name back: ${adoptCommand(owner)}`,
    );
  if (isStaff(user) || user.auth_service !== "")
    return fault(
      account,
      `the chat user ${user.id} is staff's, a bot's, or signs in through another service`,
      "Rename it in Mattermost (mmctl user username).",
    );
  const own = await findOwnUser(parts, account);
  if (own && own.id !== user.id)
    return fault(
      account,
      `its own chat user ${own.id} is called ${own.username}, and ${user.id} has its name`,
      `Rename ${user.id} in Mattermost (mmctl user username); the account's is called by its name when it signs in.`,
    );
  const { email } = await takeOver(parts, account, user.id);
  await bindUser(parts, account, boundId, user.id);
  writeAudit({ action: "adopt_user", account, userId: user.id, outcome: "done" });
  return email === addresses.of(account)
    ? fine(account, `has the chat user ${user.id} now; whoever could sign in to it is shut out`)
    : fault(
        account,
        `has the chat user ${user.id} now, whose mail address could not be replaced`,
        "Whoever reads its mail can set a new password: change its address in the System Console.",
      );
}
