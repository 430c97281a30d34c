import { keychainSignInLink } from "../../../lib/wallet-links/index.ts";
import { keepTabText, readTabText } from "../_ui/kept-text.ts";
import { chatSession } from "./chat-session.ts";
import { onPerson } from "./person.ts";
import { LEFT, type Prove } from "./sign-in.ts";

/** A sign-in that a phone's wallet has been asked for. */
export type AskedPhone = {
  username: string;
  challenge: { id: string; message: string; secret: string; expiresAt: string };
  /** The time, in ms since 1970 by this device, after which a signature is too late. */
  endsAtMs: number;
};

/** The tab's unanswered sign-in: phones drop a page from memory while its reader is in the wallet. */
const ASKED = "hivegate.asked-phone";
/** The time after a challenge's end in which the gateway still has its answer. */
const HELD_MS = 60_000;
/** By this device's clock, without its later adjustments. */
const nowMs = () => performance.timeOrigin + performance.now();

/** Returns the sign-in that this tab asked for and no longer waits for, unless its answer is gone by now. */
export function readAskedPhone(): AskedPhone | null {
  try {
    const asked = JSON.parse(readTabText(ASKED) ?? "null") as AskedPhone | null;
    return asked !== null && asked.endsAtMs + HELD_MS > nowMs() ? asked : null;
  } catch {
    return null;
  }
}

const forgetAskedPhone = (): boolean => keepTabText(ASKED, null);
onPerson(forgetAskedPhone);

async function askPhone(username: string, signal: AbortSignal): Promise<AskedPhone> {
  const { id, message, secret, expiresAt } = await chatSession.auth.askWallet(username, { signal });
  // Both times are the server's, because this machine's clock may be wrong.
  const { timestamp } = JSON.parse(message) as { timestamp: number };
  const endsAtMs = nowMs() + Date.parse(expiresAt) - timestamp * 1000;
  const asked = { username, challenge: { id, message, secret, expiresAt }, endsAtMs };
  keepTabText(ASKED, JSON.stringify(asked));
  return asked;
}

/**
 * Proves an account by the wallet of a phone, which answers at the gateway while the page waits there. Without an
 * earlier question, asks a new one. The question outlives its panel, so that the next one can go on with it.
 */
export const proveByPhone =
  (earlier: AskedPhone | null = null): Prove =>
  async (username, { onStep, onQuestion, signal }) => {
    const { challenge, endsAtMs } = earlier ?? (await askPhone(username, signal));
    onStep("sign");
    const link = keychainSignInLink(window.location.origin, { ...challenge, username });
    onQuestion(endsAtMs - nowMs(), link);
    try {
      return await chatSession.auth.waitForWallet(challenge, { signal });
    } catch (error) {
      if (signal.reason !== LEFT) forgetAskedPhone();
      throw error;
    }
  };
