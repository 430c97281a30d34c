import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type ContractBackend = {
  /** Ends in `/api/v4`. */
  baseUrl: string;
  adminToken: string;
  teamId: string;
  close(): Promise<void>;
};

/** Whether the environment names a server of its own: `CHAT_BASE_URL`, `CHAT_ADMIN_TOKEN` and `CHAT_TEAM_ID`. */
export function isOutsideBackend(): boolean {
  const { CHAT_BASE_URL, CHAT_ADMIN_TOKEN, CHAT_TEAM_ID } = process.env;
  return Boolean(CHAT_BASE_URL && CHAT_ADMIN_TOKEN && CHAT_TEAM_ID);
}

/** The Mattermost that contract tests talk to: the environment's, else a sandbox of its own on a free port. */
export async function startContractBackend(flavour: "v7" | "v11" = "v11"): Promise<ContractBackend> {
  if (isOutsideBackend()) {
    const { CHAT_BASE_URL = "", CHAT_ADMIN_TOKEN = "", CHAT_TEAM_ID = "" } = process.env;
    return {
      baseUrl: CHAT_BASE_URL.replace(/\/+$/, ""),
      adminToken: CHAT_ADMIN_TOKEN,
      teamId: CHAT_TEAM_ID,
      close: async () => undefined,
    };
  }
  const { startMattermost } = await import("../../sandbox/mattermost/start.ts");
  const dataDir = await mkdtemp(join(tmpdir(), "contract-backend-"));
  const { url, adminToken, teamId, close } = await startMattermost({ port: 0, dataDir, flavour });
  return {
    baseUrl: url,
    adminToken,
    teamId,
    async close() {
      await close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
