import { createIdentities, createUserAddresses } from "../chat/access/identities.ts";
import { createPatVault } from "../chat/access/pat-vault.ts";
import type { IdentityParts } from "../chat/people/find-account-user.ts";
import type { Config } from "../config.ts";
import { CodedError } from "../errors.ts";
import { createMattermost } from "../mattermost/mattermost.ts";
import { listUsers, type User } from "../mattermost/users.ts";
import { openStore } from "../store/open-store.ts";
import { type Finding, fault } from "./examine-nodes.ts";

const CALL_TIMEOUT_MS = 10_000;
const PER_PAGE = 200;
/** Maximum number of accounts that a command processes. */
export const MOST_LISTED = 1_000_000;

/**
 * Runs a doctor command on bindings, addresses and chat tokens. A failure becomes a finding about `subject`.
 */
export async function withIdentities(
  config: Config,
  subject: string,
  work: (parts: IdentityParts) => Promise<Finding[]>,
): Promise<Finding[]> {
  const mattermost = createMattermost({ baseUrl: config.chat.baseUrl, timeoutMs: CALL_TIMEOUT_MS });
  const store = await openStore(config.store);
  try {
    return await work({
      admin: mattermost.asAdmin(config.chat.adminToken.reveal()),
      store,
      identities: createIdentities(store),
      addresses: createUserAddresses(config.sessionSecret),
      vault: createPatVault({ store, secret: config.sessionSecret }),
    });
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return [fault(subject, error.code, "npm run doctor, without more, says what is wrong. Then try again.")];
  } finally {
    await Promise.all([store.close(), mattermost.close()]);
  }
}

/** Yields every user of the server, page by page. */
export async function* allUsers(admin: IdentityParts["admin"]): AsyncGenerator<User> {
  for (let page = 0; ; page++) {
    const users = await listUsers(admin, page, PER_PAGE);
    yield* users;
    if (users.length < PER_PAGE) return;
  }
}
