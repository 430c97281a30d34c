import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { CHALLENGE_SECONDS } from "../contract/limits.ts";
import type { Tokens } from "../contract/login.ts";
import { checkPostingSignature } from "../hive/access-token.ts";
import type { AuthorityCache } from "../hive/authority-cache.ts";
import type { Store } from "../store/store.ts";
import type { CodeIssuer, VerifyCode } from "./account-codes.ts";
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

/** A sign-in by a code, or the question to its owner that comes first, if another browser than the asker brings it. */
export type SignedByCode =
  | ({ isRecorded: true } & SignedByWallet)
  | { isRecorded: false; account: string; asker: Asker };

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
   * Records a code of the account as `sign` records a signature, once for all sign-ins, if the browser that asked brings
   * it, which has the `askerToken`: no code names the browser that it signs in. Otherwise signs nobody in, and returns
   * who asks; a code of HiveSigner is then used up, because nobody can consent to it.
   * @throws CodedError `unauthorized`, `challenge_expired`, `auth_unavailable`
   */
  acceptCode(
    id: string,
    code: string,
    given: { issuer: CodeIssuer; askerToken: string | null },
  ): Promise<SignedByCode>;
  /**
   * Records a code of Ecency with the consent of its owner, who has seen which browser asks.
   * @throws CodedError `unauthorized`, `challenge_expired`, `auth_unavailable`
   */
  acceptWithConsent(id: string, code: string): Promise<SignedByWallet>;
  /** Returns a recorded sign-in to the browser that asked. @throws CodedError `unauthorized` */
  show(id: string, askerToken: string | null): Promise<SignedByWallet>;
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
  /** The SHA-256 of the signature or code. */
  signature: z.string(),
  key: z.string(),
  signedAtMs: z.number(),
  session: z.object({ sessionId: z.string(), refreshId: z.string() }).nullable(),
});
type Record = z.infer<typeof Record>;

const markOf = (proof: string) => createHash("sha256").update(proof).digest("base64url");

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
  verifyCode: VerifyCode;
  now: () => number;
}): WalletLogins {
  const { store, challenges, sessions, authorities, verifyCode, now } = parts;

  const keyOf = ({ content }: WalletChallenge) =>
    `auth:wallet:${createHash("sha256").update(content).digest("base64url")}`;
  const readRecord = async (challenge: WalletChallenge) => {
    const text = await store.get(keyOf(challenge));
    return text === null ? null : { text, record: Record.parse(JSON.parse(text)) };
  };
  // As long as a login session, which prolongs it when it is renewed: as long as it can be ended, and although a clock
  // that is set back would make an old challenge valid again.
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
    const { entry, ...session } = sessions.prepare({
      ...{ account, key, openedAtMs: signedAtMs },
      recordKey: keyOf(challenge),
    });
    const opened: Record = { ...record, state: "opened", session };
    const isOpened = await store.commit({
      expect: [[keyOf(challenge), text]],
      set: [[keyOf(challenge), JSON.stringify(opened), ttlOf(challenge)], entry],
    });
    return isOpened ? reopen(account, session) : openOnce(challenge);
  };

  const isAsker = (challenge: WalletChallenge, askerToken: string | null) =>
    askerToken !== null && isSame(challenge.askerToken, askerToken);

  const assertInTime = ({ account, secondsLeft }: WalletChallenge) => {
    if (secondsLeft <= 0) refuseLogin("challenge_expired", account, "challenge_expired");
  };

  const present = (challenge: WalletChallenge, record: Record, mark: string): SignedByWallet => {
    const { account, asker, endToken } = challenge;
    if (record.signature !== mark) return refuseLogin("challenge_used", account);
    return { account, asker, endToken, end: endOf(record) };
  };

  /** Records a proof unless the challenge has another one, or `usedKey` shows that the proof has served elsewhere. */
  const record = async (
    challenge: WalletChallenge,
    { mark, key, usedKey }: { mark: string; key: string; usedKey?: string },
  ): Promise<SignedByWallet> => {
    const signed: Record = { state: "signed", signature: mark, key, signedAtMs: now(), session: null };
    const isRecorded = await store.commit({
      expect: [[keyOf(challenge), null], ...(usedKey ? [[usedKey, null] as const] : [])],
      set: [
        [keyOf(challenge), JSON.stringify(signed), ttlOf(challenge)],
        ...(usedKey ? [[usedKey, "used", ttlOf(challenge)] as const] : []),
      ],
    });
    if (isRecorded) return present(challenge, signed, mark);
    const winner = await readRecord(challenge);
    return winner
      ? present(challenge, winner.record, mark)
      : refuseLogin("challenge_used", challenge.account);
  };

  const checkCode = async (challenge: WalletChallenge, issuer: CodeIssuer, code: string) => {
    const { account } = challenge;
    assertInTime(challenge);
    const checked = await orUnavailable(() => verifyCode(issuer, code, account));
    return checked.isValid ? checked : refuseLogin(checked.reason, account);
  };

  // By the signed text, because one text has several codes.
  const usedKeyOf = (digest: Uint8Array) => `auth:code:${Buffer.from(digest).toString("base64url")}`;

  const recordCode = async (challenge: WalletChallenge, issuer: CodeIssuer, code: string) => {
    const mark = markOf(code);
    const earlier = await readRecord(challenge);
    if (earlier) return present(challenge, earlier.record, mark);
    const { digest, key } = await checkCode(challenge, issuer, code);
    return record(challenge, { mark, key, usedKey: usedKeyOf(digest) });
  };

  return {
    ask: challenges.issue,

    async sign(id, signature) {
      const challenge = findOpen(id);
      const mark = markOf(signature);
      const earlier = await readRecord(challenge);
      if (earlier) return present(challenge, earlier.record, mark);
      assertInTime(challenge);
      const { account, digest } = challenge;
      const checked = await orUnavailable(() =>
        checkPostingSignature(authorities, account, digest, signature),
      );
      if (!checked.isValid) return refuseLogin(checked.reason, account);
      return record(challenge, { mark, key: checked.key });
    },

    async acceptCode(id, code, { issuer, askerToken }) {
      const challenge = findOpen(id);
      if (isAsker(challenge, askerToken))
        return { isRecorded: true, ...(await recordCode(challenge, issuer, code)) };
      const { account, asker } = challenge;
      // A page that was shown after the consent is shown again.
      const earlier = await readRecord(challenge);
      if (earlier) return { isRecorded: true, ...present(challenge, earlier.record, markOf(code)) };
      const { digest } = await checkCode(challenge, issuer, code);
      if (issuer === "hivesigner") await store.set(usedKeyOf(digest), "used", ttlOf(challenge));
      return { isRecorded: false, account, asker };
    },

    acceptWithConsent: async (id, code) => recordCode(findOpen(id), "ecency", code),

    async show(id, askerToken) {
      const challenge = find(id);
      const { account } = challenge;
      if (!isAsker(challenge, askerToken)) return refuseLogin("asker_unknown", account);
      const { record } = (await readRecord(challenge)) ?? refuseLogin("session_over", account);
      return present(challenge, record, record.signature);
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
