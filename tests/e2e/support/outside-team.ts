import { readOutsideBackend } from "../../harness/contract-backend.ts";

export type OutsideTeam = {
  /** Ends in `/api/v4`. */
  url: string;
  teamId: string;
  /** With which a gateway finds it. */
  settings: Record<string, string>;
  close(): Promise<void>;
};

/** The one of the other suites, which may run on the same server. */
const SESSION_SECRET = "0123456789abcdef0123456789abcdef";

/** This worker's, whose tests must know where their rooms belong. */
let current: OutsideTeam | null = null;

export const outsideTeam = () => current;

/** A team of its own on the Mattermost that the environment names, or null where it names none. */
export async function openOutsideTeam(): Promise<OutsideTeam | null> {
  const backend = readOutsideBackend();
  if (!backend) return null;
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${backend.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${backend.adminToken}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}`);
    return (await response.json()) as { id: string };
  };
  const name = `pages-${Date.now().toString(36)}${process.pid.toString(36)}`;
  const { id } = await ask("POST", "/teams", { name, display_name: name, type: "I" });
  current = {
    url: backend.baseUrl,
    teamId: id,
    settings: {
      CHAT_BASE_URL: backend.baseUrl,
      CHAT_ADMIN_TOKEN: backend.adminToken,
      CHAT_TEAM_ID: id,
      // By which each worker's gateway, and each run's, knows the users that another one made.
      SESSION_SECRET,
    },
    async close() {
      current = null;
      await ask("DELETE", `/teams/${id}`);
    },
  };
  return current;
}
