import type { HiveAuthQuestion } from "../../../lib/wallet-links/index.ts";
import { keepTabText, readTabText } from "../_ui/kept-text.ts";
import { type ElsewhereWay, isElsewhereWay } from "./way.ts";

/** A sign-in that a wallet elsewhere has been asked for. */
export type AskedWallet = {
  /** The gateway's address. */
  baseUrl: string;
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

/** Returns the time by this device's clock, without its later adjustments. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** Returns the sign-in that this tab asked for at a gateway and no longer waits for, unless its answer is gone by now. */
export function readAskedWallet(baseUrl: string): AskedWallet | null {
  try {
    const asked: unknown = JSON.parse(readTabText(ASKED) ?? "null");
    const isHeld = isWhole(asked) && asked.baseUrl === baseUrl && asked.endsAtMs + HELD_MS > nowMs();
    return isHeld ? asked : null;
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

/** Stores the tab's unanswered sign-in, in place of an earlier one. */
export const keepAskedWallet = (asked: AskedWallet): boolean => keepTabText(ASKED, JSON.stringify(asked));

/** Removes the tab's unanswered sign-in. */
export const forgetAskedWallet = (): boolean => keepTabText(ASKED, null);
