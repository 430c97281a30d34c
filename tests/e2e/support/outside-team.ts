import { createUserAddresses } from "../../../lib/chat/access/identities.ts";
import { Secret } from "../../../lib/secret.ts";
import { sandboxAccounts } from "../../../sandbox/accounts.ts";
import { readOutsideMattermost } from "../../harness/contract-mattermost.ts";
import { type Answers, answersOf } from "../../harness/mattermost-answers.ts";

export type OutsideTeam = {
  /** The address of the API, which ends in `/api/v4`. */
  url: string;
  teamId: string;
  /** The settings with which a gateway finds the server. */
  settings: Record<string, string>;
  /** The differences between this version's answers and those of others. */
  answers: Answers;
  close(): Promise<void>;
};

type Ask = <Body = { id: string }>(method: string, path: string, body?: unknown) => Promise<Body>;

/** The secret is shared with other suites, which may run on the same server. */
const SESSION_SECRET = "0123456789abcdef0123456789abcdef";

/** The team of this worker, whose tests must know where their rooms are. */
let current: OutsideTeam | null = null;

export const outsideTeam = () => current;

const SANDBOX_VERSION = "11.2.0";

/** Returns how this worker's Mattermost differs from other versions. */
export const mattermostAnswers = () => current?.answers ?? answersOf(SANDBOX_VERSION);

/**
 * Creates a team on the Mattermost that the environment names, or returns null if it names none. @throws
 * Error if that server does not separate threads
 */
export async function openOutsideTeam(): Promise<OutsideTeam | null> {
  const mattermost = readOutsideMattermost();
  if (!mattermost) return null;
  const ask: Ask = async (method, path, body) => {
    const response = await fetch(`${mattermost.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${mattermost.adminToken}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
    return response.json();
  };
  const { CollapsedThreads } = await ask<{ CollapsedThreads: string }>("GET", "/config/client?format=old");
  if (!["always_on", "default_on"].includes(CollapsedThreads))
    throw new Error(`ServiceSettings.CollapsedThreads must be default_on or always_on: ${CollapsedThreads}`);
  const run = `${Date.now().toString(36)}${process.pid.toString(36)}`;
  await dismissPeople(ask, run);
  const name = `pages-${run}`;
  const { id } = await ask("POST", "/teams", { name, display_name: name, type: "I" });
  const { headers } = await fetch(`${mattermost.baseUrl}/system/ping`);
  current = {
    url: mattermost.baseUrl,
    teamId: id,
    settings: {
      CHAT_BASE_URL: mattermost.baseUrl,
      CHAT_ADMIN_TOKEN: mattermost.adminToken,
      CHAT_TEAM_ID: id,
      SESSION_SECRET,
    },
    answers: answersOf(headers.get("x-version-id") ?? ""),
    async close() {
      current = null;
      await ask("DELETE", `/teams/${id}`);
    },
  };
  return current;
}

/**
 * Turns the sandbox's people into newcomers, by freeing the names and addresses of users that an earlier
 * worker's gateway created.
 */
async function dismissPeople(ask: Ask, run: string): Promise<void> {
  const addresses = createUserAddresses(new Secret(SESSION_SECRET));
  const names = sandboxAccounts.map((account) => account.name);
  const found = await ask<Array<{ id: string; username: string; email: string }>>(
    "POST",
    "/users/usernames",
    names,
  );
  // The suite must not touch other users with the same name.
  for (const { id, username } of found.filter((user) => user.email === addresses.of(user.username))) {
    const former = `former${run}${username}`;
    await ask("PUT", `/users/${id}/patch`, { username: former, email: `${former}@example.com` });
    await ask("DELETE", `/users/${id}`);
  }
}
