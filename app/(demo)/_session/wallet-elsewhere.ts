import type { HiveAuthQuestion } from "../../../lib/wallet-links/index.ts";
import { keepTabText, readTabText } from "../_ui/kept-text.ts";
import { chatSession } from "./chat-session.ts";
import { WalletError } from "./keychain.ts";
import { onPerson } from "./person.ts";
import { EXPIRED, LEFT, type Progress, type Prove } from "./sign-in.ts";
import { type ElsewhereWay, isElsewhereWay } from "./sign-in-ways.ts";
import type { WalletsHere } from "./wallets-here.tsx";

/** A sign-in that a wallet elsewhere has been asked for. */
export type AskedWallet = {
  username: string;
  way: ElsewhereWay;
  challenge: { id: string; message: string; secret: string; expiresAt: string };
  /** The time, in ms since 1970 by this device, after which a signature is too late. */
  endsAtMs: number;
  /** The question that waits at HiveAuth's relay. */
  question?: HiveAuthQuestion;
};

/** The tab's unanswered sign-in: phones drop a page from memory while its reader is in the wallet. */
const ASKED = "hivegate.asked-wallet";
/** The time after a challenge's end in which the gateway still has its answer. */
const HELD_MS = 60_000;
/** By this device's clock, without its later adjustments. */
const nowMs = () => performance.timeOrigin + performance.now();

/** Returns the sign-in that this tab asked for and no longer waits for, unless its answer is gone by now. */
export function readAskedWallet(): AskedWallet | null {
  try {
    const asked: unknown = JSON.parse(readTabText(ASKED) ?? "null");
    return isWhole(asked) && asked.endsAtMs + HELD_MS > nowMs() ? asked : null;
  } catch {
    return null;
  }
}

/** Returns whether a stored sign-in is readable: an earlier version of the page may have stored it. */
function isWhole(stored: unknown): stored is AskedWallet {
  const { username, way, challenge, endsAtMs, question } = stored as AskedWallet;
  const { id, message, secret, expiresAt } = challenge;
  const texts = [username, id, message, secret, expiresAt];
  if (question) texts.push(question.uuid, question.key, question.link);
  return texts.every((text) => typeof text === "string") && isElsewhereWay(way) && Number.isFinite(endsAtMs);
}

const keepAsked = (asked: AskedWallet): boolean => keepTabText(ASKED, JSON.stringify(asked));
const forgetAsked = (): boolean => keepTabText(ASKED, null);
onPerson(forgetAsked);

async function ask(username: string, way: ElsewhereWay, signal: AbortSignal): Promise<AskedWallet> {
  const { id, message, secret, expiresAt } = await chatSession.auth.askWallet(username, { signal });
  // Both times are the server's, because this machine's clock may be wrong.
  const { timestamp } = JSON.parse(message) as { timestamp: number };
  const endsAtMs = nowMs() + Date.parse(expiresAt) - timestamp * 1000;
  const asked = { username, way, challenge: { id, message, secret, expiresAt }, endsAtMs };
  keepAsked(asked);
  return asked;
}

// Most users who sign in never need this part.
const loadWallets = () => import("../../../lib/wallet-links/index.ts");

/** Returns the link that asks a wallet which answers at the gateway itself. */
async function linkOf(
  { username, way, challenge }: AskedWallet,
  { hivesignerApp }: WalletsHere,
): Promise<string> {
  const { ecencyGatewayLink, hivesignerGatewayLink, keychainSignInLink } = await loadWallets();
  const { origin } = window.location;
  const asked = { id: challenge.id, username };
  if (way === "ecency") return ecencyGatewayLink(origin, asked);
  if (way === "hivesigner") return hivesignerGatewayLink(origin, { ...asked, app: hivesignerApp ?? "" });
  return keychainSignInLink(origin, { ...challenge, username });
}

/** Has a wallet of HiveAuth sign, which answers at its relay, and sends the signature to the gateway. */
async function signAtRelay(
  asked: AskedWallet,
  relay: string,
  { onQuestion, onStep, signal }: Progress,
): Promise<void> {
  const { challenge, username, endsAtMs, question: earlier } = asked;
  const { HiveAuthError, signByHiveAuth } = await loadWallets();
  try {
    const signature = await signByHiveAuth({
      ...{ relay, account: username, app: window.location.host, message: challenge.message, signal },
      ...(earlier && { earlier }),
      withinMs: endsAtMs - nowMs(),
      onQuestion(question) {
        keepAsked({ ...asked, question });
        onQuestion(endsAtMs - nowMs(), question.link);
      },
    });
    onStep("login");
    const path = `/api/auth/wallet/${encodeURIComponent(challenge.id)}`;
    await chatSession.request(path, { method: "POST", body: { signature }, signal });
  } catch (error) {
    if (!(error instanceof HiveAuthError)) throw error;
    if (error.code === "declined") throw new WalletError({ isCancelled: true });
    throw error.code === "expired" ? EXPIRED : new WalletError({ isUnreachable: true });
  }
}

/**
 * Proves an account by a wallet that answers at the gateway or a relay while the page waits. Without an earlier
 * question, asks a new one. The question outlives its panel, so that the next one can go on with it.
 */
export const proveElsewhere =
  (way: ElsewhereWay, wallets: WalletsHere, earlier: AskedWallet | null = null): Prove =>
  async (username, progress) => {
    const { onStep, onQuestion, signal } = progress;
    const asked = earlier ?? (await ask(username, way, signal));
    onStep("sign");
    try {
      if (way === "hiveauth") await signAtRelay(asked, wallets.hiveAuthRelay ?? "", progress);
      else {
        const link = await linkOf(asked, wallets);
        onQuestion(asked.endsAtMs - nowMs(), link);
      }
      return await chatSession.auth.waitForWallet(asked.challenge, { signal });
    } catch (error) {
      if (signal.reason !== LEFT) forgetAsked();
      throw error;
    }
  };
