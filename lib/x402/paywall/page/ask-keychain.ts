import type { UnsignedTransfer } from "../../client/build-transfer.ts";
import { fill } from "../payment-page-texts.ts";
import { texts } from "./data.ts";
import { byId, say } from "./elements.ts";

/** The answer of the Hive Keychain extension. */
type KeychainAnswer = {
  success?: boolean;
  /** The signatures of a transaction, or the signature of a text. */
  result?: { signatures: string[] } | string;
  error?: string;
  message?: unknown;
};

type Keychain = {
  requestSignTx(
    account: string,
    transaction: UnsignedTransfer,
    role: "Active",
    callback: (answer: KeychainAnswer | undefined) => void,
  ): void;
  requestSignBuffer(
    account: string,
    text: string,
    role: "Posting",
    callback: (answer: KeychainAnswer | undefined) => void,
  ): void;
};

/** The time after which the page says where to look for the wallet's window. */
const LONG_MS = 10_000;
const TICK_MS = 500;
const MAX_MESSAGE_CHARACTERS = 300;

/** The request that Keychain has not answered, whose window stays open even when the page no longer waits. */
let unanswered: { isMentioned: boolean } | null = null;

/** Returns the extension, which adds itself to the page some time after it has loaded. */
export function findKeychain(): Keychain | undefined {
  return (globalThis as { hive_keychain?: Keychain }).hive_keychain;
}

/** A request to Keychain. */
type KeychainRequest = {
  account: string;
  /** The sentence that the page shows while the request is open. */
  said: string;
  /** The name of the key that signs the request, in the reader's language. */
  key: string;
  /** The time left for the answer. */
  leftMs: number;
  /** Returns whether the page is doing nothing else when a late answer arrives. */
  isIdle: () => boolean;
};

type Conditions = Pick<KeychainRequest, "account" | "leftMs" | "isIdle">;

/** Asks Keychain to sign a transfer. @throws Error with a sentence for the payer */
export async function askForTransfer(transfer: UnsignedTransfer, conditions: Conditions): Promise<string[]> {
  const [[, { amount, to }]] = transfer.operations;
  const said = fill(texts.asks, { amount, payee: to });
  const result = await ask({ ...conditions, said, key: texts.activeKey }, (keychain, done) =>
    keychain.requestSignTx(conditions.account, transfer, "Active", done),
  );
  return (result as { signatures: string[] }).signatures;
}

/** Asks Keychain to sign a text with the posting key. @throws Error with a sentence for the account's owner */
export async function askForText(text: string, conditions: Conditions): Promise<string> {
  const result = await ask({ ...conditions, said: texts.asksText, key: texts.postingKey }, (keychain, done) =>
    keychain.requestSignBuffer(conditions.account, text, "Posting", done),
  );
  return String(result);
}

/** Makes a request, and shows the time left for its answer. Returns Keychain's result. */
function ask(
  { account, said, key, leftMs, isIdle }: KeychainRequest,
  send: (keychain: Keychain, done: (answer: KeychainAnswer | undefined) => void) => void,
): Promise<NonNullable<KeychainAnswer["result"]>> {
  return new Promise((resolve, reject) => {
    // The open window is mentioned only once, because a wallet that never answers must not lock its owner
    // out.
    if (unanswered && !unanswered.isMentioned) {
      unanswered.isMentioned = true;
      reject(new Error(texts.stillAsking));
      return;
    }
    const request = { isMentioned: false };
    unanswered = request;
    say(said);
    let isOver = false;
    const stopWaiting = showWaiting(leftMs, (reason) => end(() => reject(new Error(reason))));
    const end = (settle: () => void) => {
      isOver = true;
      stopWaiting();
      settle();
    };
    const keychain = findKeychain();
    if (!keychain) return;
    send(keychain, (answer) => {
      if (unanswered === request) unanswered = null;
      const result = answer?.success ? answer.result : undefined;
      // The page no longer waits for this signature, so the signature pays nothing, and a later request stays
      // open.
      if (isOver && result && isIdle()) say(texts.late);
      if (isOver) return;
      end(() => (result ? resolve(result) : reject(new Error(describeRefusal(answer, { account, key })))));
    });
  });
}

/**
 * Shows the time left, and calls `onEnd` with the reason once it is up or the payer cancels. Returns the
 * function that stops it.
 */
function showWaiting(leftMs: number, onEnd: (reason: string) => void): () => void {
  const startedAt = performance.now();
  const tick = () => {
    const waitedMs = performance.now() - startedAt;
    const seconds = Math.ceil((leftMs - waitedMs) / 1000);
    if (seconds <= 0) {
      onEnd(texts.ranOut);
      return;
    }
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    byId("left").textContent = fill(texts.left, { time });
    byId("long").hidden = waitedMs < LONG_MS;
  };
  const timer = setInterval(tick, TICK_MS);
  const waiting = byId("waiting");
  byId("cancel").onclick = () => onEnd(texts.stopped);
  waiting.hidden = false;
  tick();
  waiting.focus({ preventScroll: true });
  waiting.scrollIntoView({ block: "nearest" });
  return () => {
    clearInterval(timer);
    waiting.hidden = true;
  };
}

function describeRefusal(
  answer: KeychainAnswer | undefined,
  values: { account: string; key: string },
): string {
  const reason = fill(answer?.error === "user_cancel" ? texts.cancelled : texts.unsigned, values);
  if (!answer?.message) return reason;
  return reason + fill(texts.says, { said: String(answer.message).slice(0, MAX_MESSAGE_CHARACTERS) });
}
