import { ChatError } from "../../../lib/chat-client/index.ts";
import type { Sandbox } from "../../../lib/contract/payment-answers.ts";
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

/**
 * The posting signature of a text (hex) by a key in WIF; the signing code is loaded on first use and the key stays in the page.
 * @throws KeyError when the text is no key.
 */
export async function signMessageWithKey(wif: string, message: string): Promise<string> {
  const { signText } = await import("../../../lib/hive/private-key.ts");
  const signature = signText(message, wif);
  if (signature === null) throw new KeyError("This text is no private key.");
  return signature;
}

/** Thrown for a text that looks like a private key and is none: its checksum does not fit. */
export class KeyError extends Error {
  override readonly name = "KeyError";
}
