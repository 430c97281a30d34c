import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { CHALLENGE_SECONDS } from "../contract/limits.ts";
import type { Tokens } from "../contract/login.ts";
import { checkPostingSignature } from "../hive/access-token.ts";
import type { AuthorityCache } from "../hive/authority-cache.ts";
import type { Store } from "../store/store.ts";
import { CHALLENGE_SKEW_SECONDS } from "./challenge-text.ts";
import { issuePair } from "./issue-tokens.ts";
import type { LoginSessions } from "./login-sessions.ts";
import { orUnavailable } from "./or-unavailable.ts";
import { refuseLogin } from "./refuse-login.ts";
import type { TokenIssuer } from "./token-issuer.ts";
import { type Asker, isSame, type WalletChallenge, type WalletChallenges } from "./wallet-challenges.ts";

/** A sign-in that a wallet has signed, as the owner of the wallet sees it. */
export type SignedByWallet = {
  account: string;
  asker: Asker;
  /** Ends the sign-in. */
  endToken: string;
  /** The progress of its end: `done` once nothing of it is left. */
  end: "none" | "begun" | "done";
};

export type OpenedByWallet = { account: string; sessionId: string; tokens: Tokens };

type EndChat = (account: string, sessionId: string) => Promise<void>;

export type WalletLogins = {
  /** Creates a text for the account's wallet to sign, and the secret with which the asking page gets the session. */
  ask: WalletChallenges["issue"];
  /**
   * Records the wallet's signature, which opens one login session for the page that asked. The same signature
   * again changes nothing, and any other is refused.
   * @throws CodedError `unauthorized`, `challenge_expired`, `auth_unavailable`
   */
  sign(id: string, signature: string): Promise<SignedByWallet>;
  /**
   * Opens the login session that the wallet has signed, or returns null if no signature arrives within
   * `waitSeconds`. Opening it again, until the challenge expires, returns the same login session.
   * @throws CodedError `unauthorized`, `challenge_expired`
   */
  open(
    id: string,
    secret: string,
    wait: { waitSeconds: number; signal: AbortSignal },
  ): Promise<OpenedByWallet | null>;
  /**
   * Ends a signed sign-in and its login session for good, at any time, and returns its account. `endChat` ends what the
   * login session has opened; until it has succeeded, the end has only begun and can be asked for again.
   * @throws CodedError `unauthorized`, or the error of `endChat`
   */
  end(id: string, endToken: string, endChat: EndChat): Promise<string>;
};

const Record = z.object({
  state: z.enum(["signed", "opened", "ending", "ended"]),
  /** The SHA-256 of the signature. */
  signature: z.string(),
  key: z.string(),
  signedAtMs: z.number(),
  session: z.object({ sessionId: z.string(), refreshId: z.string() }).nullable(),
});
type Record = z.infer<typeof Record>;

const endOf = ({ state }: Record): SignedByWallet["end"] =>
  state === "ended" ? "done" : state === "ending" ? "begun" : "none";

const ASK_STORE_EVERY_MS = 1000;
/** The time after a challenge's end in which the page still gets what the wallet has signed. */
const OPEN_AFTER_SECONDS = 60;

/**
 * Creates the sign-in by a wallet that cannot reach the page: the signature arrives at a callback, and the page
 * that asked gets the login session. Any process may serve either, because the record of a signature is in the store.
 */
export function createWalletLogins(parts: {
  store: Store;
  challenges: WalletChallenges;
  sessions: LoginSessions;
  issuer: TokenIssuer;
  authorities: AuthorityCache;
  now: () => number;
}): WalletLogins {
  const { store, challenges, sessions, authorities, now } = parts;

  const keyOf = ({ content }: WalletChallenge) =>
    `auth:wallet:${createHash("sha256").update(content).digest("base64url")}`;
  const readRecord = async (challenge: WalletChallenge) => {
    const text = await store.get(keyOf(challenge));
    return text === null ? null : { text, record: Record.parse(JSON.parse(text)) };
  };
  // As long as a login session, because a clock that is set back would make an old challenge valid again.
  const ttlOf = ({ secondsLeft }: WalletChallenge) => Math.max(0, secondsLeft) + sessions.lifetimeSeconds;
  const find = (id: string) => challenges.read(id) ?? refuseLogin("challenge_invalid", null);
  const findOpen = (id: string) => {
    const challenge = find(id);
    const isDated = challenge.secondsLeft <= CHALLENGE_SECONDS + CHALLENGE_SKEW_SECONDS;
    return isDated ? challenge : refuseLogin("challenge_invalid", challenge.account);
  };

  /** Returns the tokens of an opened login session, unless its refresh token has been used. */
  const reopen = async (account: string, session: Record["session"]): Promise<OpenedByWallet> => {
    const open = session && (await sessions.read(session.sessionId));
    if (!session || open?.refresh !== session.refreshId) return refuseLogin("session_over", account);
    return { account, sessionId: session.sessionId, tokens: await issuePair(parts, { account, ...session }) };
  };

  const openOnce = async (challenge: WalletChallenge): Promise<OpenedByWallet | null> => {
    const { account } = challenge;
    const found = await readRecord(challenge);
    if (!found) return null;
    const { text, record } = found;
    if (endOf(record) !== "none") return refuseLogin("ended_by_owner", account);
    if (record.state === "opened") return reopen(account, record.session);
    const { key, signedAtMs } = record;
    const { entry, ...session } = sessions.prepare({ account, key, openedAtMs: signedAtMs });
    const opened: Record = { ...record, state: "opened", session };
    const isOpened = await store.commit({
      expect: [[keyOf(challenge), text]],
      set: [[keyOf(challenge), JSON.stringify(opened), ttlOf(challenge)], entry],
    });
    return isOpened ? reopen(account, session) : openOnce(challenge);
  };

  return {
    ask: challenges.issue,

    async sign(id, signature) {
      const challenge = findOpen(id);
      const { account, asker, digest, endToken, secondsLeft } = challenge;
      const mark = createHash("sha256").update(signature).digest("base64url");
      const present = (record: Record): SignedByWallet =>
        record.signature === mark
          ? { account, asker, endToken, end: endOf(record) }
          : refuseLogin("challenge_used", account);
      const earlier = await readRecord(challenge);
      if (earlier) return present(earlier.record);
      if (secondsLeft <= 0) return refuseLogin("challenge_expired", account, "challenge_expired");
      const checked = await orUnavailable(() =>
        checkPostingSignature(authorities, account, digest, signature),
      );
      if (!checked.isValid) return refuseLogin(checked.reason, account);
      const { key } = checked;
      const record: Record = { state: "signed", signature: mark, key, signedAtMs: now(), session: null };
      if (await store.setIfAbsent(keyOf(challenge), JSON.stringify(record), ttlOf(challenge)))
        return present(record);
      const winner = await readRecord(challenge);
      return winner ? present(winner.record) : refuseLogin("challenge_used", account);
    },

    async open(id, secret, { waitSeconds, signal }) {
      const endsAtMs = performance.now() + waitSeconds * 1000;
      for (;;) {
        const challenge = findOpen(id);
        const { account, secondsLeft } = challenge;
        if (!isSame(challenge.secret, secret)) return refuseLogin("secret_invalid", account);
        // A wallet may sign in the last second.
        const opened = secondsLeft > -OPEN_AFTER_SECONDS ? await openOnce(challenge) : null;
        if (!opened && secondsLeft <= 0)
          return refuseLogin("challenge_expired", account, "challenge_expired");
        const leftMs = endsAtMs - performance.now();
        if (opened || leftMs <= 0 || signal.aborted) return opened;
        await pause(Math.min(leftMs, ASK_STORE_EVERY_MS), undefined, { signal }).catch(() => {
          // The caller has left, which the next round sees.
        });
      }
    },

    async end(id, endToken, endChat) {
      // A clock that was set back keeps no one from ending a sign-in.
      const challenge = find(id);
      const { account } = challenge;
      if (!isSame(challenge.endToken, endToken)) return refuseLogin("end_token_invalid", account);
      for (;;) {
        const found = (await readRecord(challenge)) ?? refuseLogin("session_over", account);
        const { text, record } = found;
        const { state, session } = record;
        if (state === "ended") return account;
        if (state === "ending" && session) await endChat(account, session.sessionId);
        const next: Record = { ...record, state: state === "ending" ? "ended" : "ending" };
        await store.commit({
          expect: [[keyOf(challenge), text]],
          set: [[keyOf(challenge), JSON.stringify(next), ttlOf(challenge)]],
          delete: session ? [sessions.keyOf(session.sessionId)] : [],
        });
      }
    },
  };
}
