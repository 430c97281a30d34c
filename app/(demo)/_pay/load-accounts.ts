import { ChatError } from "../../../lib/chat-client/index.ts";
import type { Payments } from "../../../lib/contract/payment-answers.ts";
import { readSandbox } from "../_session/accounts.ts";
import { gateway, isSignedInByWallet } from "../_session/gateway.ts";

/** Who could pay here. */
export type Payers = {
  /** Empty off the sandbox. */
  accounts: ReadonlyArray<{ name: string; activeKey: string }>;
  /** Who is signed in; null for nobody. */
  me: string | null;
  /** Whether with a wallet. */
  isByWallet: boolean;
};

/** Reads who could pay: the sandbox's accounts, where this is one, and who is signed in. */
export async function loadPayers(signal: AbortSignal): Promise<Payers> {
  const [sandbox, me] = await Promise.all([readSandbox(signal), readSessionName(signal)]);
  const accounts = (sandbox?.accounts ?? []).flatMap(({ name, keys }) =>
    keys.active ? [{ name, activeKey: keys.active }] : [],
  );
  return { accounts, me, isByWallet: isSignedInByWallet() };
}

/** The name of who is signed in, or null. */
export async function readSessionName(signal: AbortSignal): Promise<string | null> {
  try {
    return (await gateway.auth.session({ signal })).username;
  } catch (error) {
    if (error instanceof ChatError && error.status === 401) return null;
    throw error;
  }
}

/** An account's balance and its latest x402 payments, newest first. */
export function loadHistory(account: string, signal: AbortSignal): Promise<Payments> {
  return gateway.request<Payments>("/api/x402/payments", { query: { account }, signal });
}
