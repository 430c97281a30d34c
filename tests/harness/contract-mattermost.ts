import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type ContractMattermost = {
  /** The address of the API, which ends in `/api/v4`. */
  baseUrl: string;
  adminToken: string;
  teamId: string;
  /**
   * Deactivates a suite's users on a server that outlives the suite: an unlicensed server accepts only a
   * limited number of active users.
   */
  deactivate(usernames: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

const MOST_NAMES = 100;

/** Returns whether the environment names a server. @throws Error as `readOutsideMattermost` does */
export function isOutsideMattermost(): boolean {
  return readOutsideMattermost() !== null;
}

/** Returns the kinds of Mattermost that a test runs on: both of the sandbox's, or the environment's. */
export const flavoursToTry = (): ReadonlyArray<"v11" | "v7"> =>
  isOutsideMattermost() ? ["v11"] : ["v11", "v7"];

/**
 * Returns the server that the environment names by `CHAT_BASE_URL`, `CHAT_ADMIN_TOKEN` and `CHAT_TEAM_ID`, or
 * null. @throws Error if these are invalid
 */
export function readOutsideMattermost(): Pick<
  ContractMattermost,
  "baseUrl" | "adminToken" | "teamId"
> | null {
  const { CHAT_BASE_URL = "", CHAT_ADMIN_TOKEN = "", CHAT_TEAM_ID = "" } = process.env;
  if (!CHAT_BASE_URL) return null;
  const baseUrl = CHAT_BASE_URL.replace(/\/+$/, "");
  if (!baseUrl.endsWith("/api/v4"))
    throw new Error(
      `CHAT_BASE_URL must end in /api/v4, the base of Mattermost's REST API: ${baseUrl}/api/v4`,
    );
  if (!CHAT_ADMIN_TOKEN || !CHAT_TEAM_ID)
    throw new Error("A server of its own needs CHAT_ADMIN_TOKEN and CHAT_TEAM_ID beside CHAT_BASE_URL");
  return { baseUrl, adminToken: CHAT_ADMIN_TOKEN, teamId: CHAT_TEAM_ID };
}

/**
 * Starts the Mattermost for contract tests: the environment's or, without one, a new sandbox on a free port.
 */
export async function startContractMattermost(flavour: "v7" | "v11" = "v11"): Promise<ContractMattermost> {
  const outside = readOutsideMattermost();
  if (outside)
    return {
      ...outside,
      deactivate: (usernames) => deactivate(outside, usernames),
      close: async () => undefined,
    };
  const { startMattermost } = await import("../../sandbox/mattermost/start.ts");
  const dataDir = await mkdtemp(join(tmpdir(), "contract-mattermost-"));
  const { url, adminToken, teamId, close } = await startMattermost({ port: 0, dataDir, flavour });
  return {
    baseUrl: url,
    adminToken,
    teamId,
    deactivate: async () => undefined,
    async close() {
      await close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function deactivate(
  { baseUrl, adminToken }: { baseUrl: string; adminToken: string },
  usernames: readonly string[],
): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/json" };
  for (let at = 0; at < usernames.length; at += MOST_NAMES) {
    const body = JSON.stringify(usernames.slice(at, at + MOST_NAMES));
    const found = await fetch(`${baseUrl}/users/usernames`, { method: "POST", headers, body });
    const users = (await found.json()) as Array<{ id: string; delete_at?: number }>;
    for (const { id } of users.filter((user) => !user.delete_at)) {
      const { ok, status } = await fetch(`${baseUrl}/users/${id}`, { method: "DELETE", headers });
      if (!ok) throw new Error(`a user that the tests made stays active: ${status}`);
    }
  }
}
