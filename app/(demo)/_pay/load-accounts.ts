import { ChatError } from "../../../lib/chat-client/index.ts";
import type { Payments } from "../../../lib/contract/payment-answers.ts";
import { readSandbox } from "../_session/accounts.ts";
import { chatSession } from "../_session/chat-session.ts";
import { isSignedInByWallet } from "../_session/person.ts";

/** The possible payers on this page. */
export type Payers = {
  /** The sandbox's accounts; empty outside the sandbox. */
  accounts: ReadonlyArray<{ name: string; activeKey: string }>;
  /** The signed-in user, or null. */
  me: string | null;
  /** True if the user signed in with a wallet. */
  isByWallet: boolean;
};

/** Reads the possible payers: the signed-in user and, on a sandbox, its accounts. */
export async function loadPayers(signal: AbortSignal): Promise<Payers> {
  const [sandbox, me] = await Promise.all([readSandbox(signal), readSignedInAccount(signal)]);
  const accounts = (sandbox?.accounts ?? []).flatMap(({ name, keys }) =>
    keys.active ? [{ name, activeKey: keys.active }] : [],
  );
  return { accounts, me, isByWallet: isSignedInByWallet() };
}

/** Returns the name of the signed-in user, or null. */
export async function readSignedInAccount(signal: AbortSignal): Promise<string | null> {
  try {
    return (await chatSession.auth.session({ signal })).username;
  } catch (error) {
    if (error instanceof ChatError && error.status === 401) return null;
    throw error;
  }
}

/** Reads an account's balance and its latest x402 payments, newest first. */
export function loadHistory(account: string, signal: AbortSignal): Promise<Payments> {
  return chatSession.request<Payments>("/api/x402/payments", { query: { account }, signal });
}
