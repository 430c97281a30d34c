import { ChatError } from "../../../lib/chat-client/index.ts";
import type { Sandbox } from "../../../lib/contract/payment-answers.ts";
import { chatSession } from "./chat-session.ts";
import { KeyError } from "./key-error.ts";

/** Reads the sandbox's accounts with their keys, and its chain, or null if the server is not a sandbox. */
export async function readSandbox(signal?: AbortSignal): Promise<Sandbox | null> {
  try {
    return await chatSession.request<Sandbox>("/api/sandbox", signal ? { signal } : {});
  } catch (error) {
    if (error instanceof ChatError && error.status === 404) return null;
    throw error;
  }
}

/**
 * Returns the posting signature (hex) of a text by a key in WIF. The signing code is loaded on first use, and
 * the key stays on the page.
 * @throws KeyError if the text is not a key.
 */
export async function signMessageWithKey(wif: string, message: string): Promise<string> {
  const { signText } = await import("../../../lib/hive/private-key.ts");
  const signature = signText(message, wif);
  if (signature === null) throw new KeyError("This text is no private key.");
  return signature;
}
