import { ChatError, type Sandbox } from "../../../lib/chat-client/index.ts";
import { gateway } from "./gateway.ts";

/** The account that somebody means who types a name as they write it elsewhere: with an `@`, a capital or a blank. */
export function readAccountName(typed: string): string {
  return typed.trim().replace(/^@/, "").toLowerCase();
}

/** What a field for an account takes: the chain's longest name and an `@`. */
export const MAX_TYPED_NAME = 17;

/** The sandbox's accounts with their keys, and its chain; null where the server is no sandbox. */
export async function readSandbox(signal?: AbortSignal): Promise<Sandbox | null> {
  try {
    return await gateway.request<Sandbox>("/api/sandbox", signal ? { signal } : {});
  } catch (error) {
    if (error instanceof ChatError && error.status === 404) return null;
    throw error;
  }
}
