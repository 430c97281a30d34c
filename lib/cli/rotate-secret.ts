import type { UserAddresses } from "../chat/access/identities.ts";
import type { PatVault } from "../chat/access/pat-vault.ts";
import type { Config } from "../config.ts";
import type { MattermostCaller } from "../mattermost/mattermost.ts";
import { changeUser } from "../mattermost/users.ts";
import { type Finding, fault, fine, warning } from "./examine-nodes.ts";
import { allUsers, MOST_LISTED, withIdentities } from "./with-identities.ts";

/**
 * Moves everything that SESSION_SECRET_PREVIOUS still protects to SESSION_SECRET: stored chat tokens, and the
 * addresses of the gateway's chat users. Reports whether it is safe to drop the former secret.
 */
export async function rotateSecret(config: Config): Promise<Finding[]> {
  if (config.sessionSecret.previous === null)
    return [
      fault(
        "SESSION_SECRET_PREVIOUS",
        "is not set, so nothing can be read that the former secret protects",
        "Set it to the former SESSION_SECRET, and SESSION_SECRET to the new one.",
      ),
    ];
  return withIdentities(config, "rotation", async ({ admin, identities, addresses, vault }) => {
    const bound = await identities.list(MOST_LISTED);
    const accounts = new Map(bound.map(({ account, userId }) => [userId, account]));
    const findings = [...(await resealTokens(vault)), ...(await renewAddresses(admin, addresses, accounts))];
    return [...findings, verdict(findings.every(({ isFine }) => isFine))];
  });
}

const AGAIN = "Start every gateway with both settings, then try again.";

async function resealTokens(vault: PatVault): Promise<Finding[]> {
  const before = await vault.list(MOST_LISTED);
  const former = before.filter(({ under }) => under === "previous");
  // Reading an entry encrypts it again, under the current secret.
  for (const { username } of former) await vault.read(username);
  const after = await vault.list(MOST_LISTED);
  const left = after.filter(({ under }) => under === "previous").length;
  const lost = after.filter(({ under }) => under === "none").length;
  const own = after.length - left - lost;
  const subject = "chat tokens";
  return [
    left > 0
      ? fault(subject, `${left} are under the former secret again: a gateway still makes them`, AGAIN)
      : fine(subject, `${own} are under SESSION_SECRET, ${former.length} of them since now`),
    ...(lost > 0
      ? [
          warning(
            subject,
            `${lost} were made under neither secret`,
            "Their users get new ones when they sign in. If yet another secret is in use, give that one.",
          ),
        ]
      : []),
  ];
}

async function renewAddresses(
  admin: MattermostCaller,
  addresses: UserAddresses,
  accounts: ReadonlyMap<string, string>,
): Promise<Finding[]> {
  let own = 0;
  let renewed = 0;
  const kept: string[] = [];
  for await (const user of allUsers(admin)) {
    const account = accounts.get(user.id);
    const renewedAddress = addresses.renewed(account ?? user.username, user.email);
    if (renewedAddress === null) continue;
    // Without a binding, only the former secret vouches for the user, and anyone who knows it could have set the
    // address.
    const isUnproved = account === undefined && renewedAddress !== user.email;
    const email = isUnproved ? addresses.pendingOf(user.username) : renewedAddress;
    if (email === user.email) own += 1;
    else if ((await changeUser(admin, user.id, { email })).email === email) renewed += 1;
    else kept.push(user.username);
  }
  const subject = "chat users";
  return [
    fine(subject, `${own + renewed} have an address under SESSION_SECRET, ${renewed} of them since now`),
    ...(kept.length > 0
      ? [
          fault(
            subject,
            `the server keeps the former address of ${kept.length}, ${kept[0]} among them`,
            "Turn off System Console > Authentication > Email > Require Email Verification, and try again.",
          ),
        ]
      : []),
  ];
}

function verdict(isDone: boolean): Finding {
  const subject = "SESSION_SECRET_PREVIOUS";
  return isDone
    ? fine(
        subject,
        "nothing stored needs it any more. Who has not come back since the change is signed out when you drop it: after 30 days nobody is",
      )
    : fault(subject, "is still needed", "See to the above, then try again.");
}
