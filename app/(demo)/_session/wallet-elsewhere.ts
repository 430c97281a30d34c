import {
  ecencyGatewayLink,
  hivesignerGatewayLink,
  keychainSignInLink,
} from "../../../lib/wallet-links/index.ts";
import { type AskedWallet, forgetAskedWallet, keepAskedWallet, nowMs } from "./asked-wallet.ts";
import type { Gateway } from "./gateway.ts";
import { signAtRelay } from "./sign-at-relay.ts";
import { LEFT, type Progress, type Prove } from "./use-sign-in.ts";
import type { WalletsHere } from "./wallets-here.tsx";
import type { ElsewhereWay } from "./way.ts";

async function ask(
  { baseUrl, auth, host }: Gateway,
  { username, way, signal }: { username: string; way: ElsewhereWay; signal: AbortSignal },
): Promise<AskedWallet> {
  const given = { signal, ...(host !== undefined && { host }) };
  const { id, message, secret, expiresAt } = await auth.askWallet(username, given);
  // Both times are the server's, because this machine's clock may be wrong.
  const { timestamp } = JSON.parse(message) as { timestamp: number };
  const endsAtMs = nowMs() + Date.parse(expiresAt) - timestamp * 1000;
  const asked = { baseUrl, username, way, challenge: { id, message, secret, expiresAt }, endsAtMs };
  keepAskedWallet(asked);
  return asked;
}

/** Returns the link that asks a wallet which answers at the gateway itself. */
function linkOf({ baseUrl, username, way, challenge }: AskedWallet, { hivesignerApp }: WalletsHere): string {
  const asked = { id: challenge.id, username };
  if (way === "ecency") return ecencyGatewayLink(baseUrl, asked);
  if (way === "hivesigner") return hivesignerGatewayLink(baseUrl, { ...asked, app: hivesignerApp ?? "" });
  return keychainSignInLink(baseUrl, { ...challenge, username });
}

/** Has a wallet of HiveAuth sign, which answers at its relay, and sends the signature to the gateway. */
async function proveAtRelay(
  gateway: Gateway,
  asked: AskedWallet,
  relay: string,
  { onQuestion, onStep, signal }: Progress,
): Promise<void> {
  const { challenge, username, endsAtMs, question: earlier } = asked;
  const signature = await signAtRelay({
    ...{ relay, account: username, message: challenge.message, signal },
    ...(earlier && { earlier }),
    withinMs: endsAtMs - nowMs(),
    onQuestion(question) {
      keepAskedWallet({ ...asked, question });
      onQuestion(endsAtMs - nowMs(), question.link);
    },
  });
  onStep("login");
  const path = `/api/auth/wallet/${encodeURIComponent(challenge.id)}`;
  await gateway.request(path, { method: "POST", body: { signature }, signal });
}

/**
 * Proves an account by a wallet that answers at the gateway or a relay while the page waits. Without an earlier
 * question, asks a new one. The question outlives its panel, so that the next one can go on with it.
 */
export const proveElsewhere =
  (
    gateway: Gateway,
    way: ElsewhereWay,
    { wallets, earlier = null }: { wallets: WalletsHere; earlier?: AskedWallet | null },
  ): Prove =>
  async (username, progress) => {
    const { onStep, onQuestion, signal } = progress;
    const asked = earlier ?? (await ask(gateway, { username, way, signal }));
    onStep("sign");
    try {
      if (way === "hiveauth") await proveAtRelay(gateway, asked, wallets.hiveAuthRelay ?? "", progress);
      else {
        const link = linkOf(asked, wallets);
        onQuestion(asked.endsAtMs - nowMs(), link);
      }
      return await gateway.auth.waitForWallet(asked.challenge, { signal });
    } catch (error) {
      if (signal.reason !== LEFT) forgetAskedWallet();
      throw error;
    }
  };
