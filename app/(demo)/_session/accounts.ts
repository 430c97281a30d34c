import { ChatError } from "../../../lib/chat-client/index.ts";
import { gateway } from "./gateway.ts";

/** The account that somebody means who types a name as they write it elsewhere: with an `@`, a capital or a blank. */
export function readAccountName(typed: string): string {
  return typed.trim().replace(/^@/, "").toLowerCase();
}

/** What a field for an account takes: the chain's longest name and an `@`. */
export const MAX_TYPED_NAME = 17;

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
