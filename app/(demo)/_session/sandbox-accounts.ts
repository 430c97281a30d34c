import { ChatError } from "../../../lib/chat-client/index.ts";
import { gateway } from "./gateway.ts";

export type SandboxAccount = { name: string; hbd: string; keys: Readonly<Record<string, string>> };

/** The sandbox's accounts with their keys, or null where the server is no sandbox. */
export async function readSandboxAccounts(signal?: AbortSignal): Promise<readonly SandboxAccount[] | null> {
  try {
    const { accounts } = await gateway.request<{ accounts: SandboxAccount[] }>(
      "/api/sandbox",
      signal ? { signal } : {},
    );
    return accounts;
  } catch (error) {
    if (error instanceof ChatError && error.status === 404) return null;
    throw error;
  }
}
