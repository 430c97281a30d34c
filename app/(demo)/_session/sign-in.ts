"use client";

import { useEffect, useRef, useState } from "react";
import { ChatError } from "../../../lib/chat-client/index.ts";
import { showBadge } from "../_ui/installed.ts";
import { chatSession } from "./chat-session.ts";
import { tellOtherTabs } from "./other-tabs.ts";
import { changePerson } from "./person.ts";
import type { strings } from "./strings.en.ts";

/**
 * Signs a text with the account's posting key, and resolves to the signature in hex. The signal ends the
 * wait.
 */
export type SignMessage = (username: string, message: string, signal: AbortSignal) => Promise<string>;

export type SignInStep = keyof typeof strings.steps;

/**
 * The gateway's code for a challenge that was answered too late. Here it also marks a wait that timed out.
 */
export const EXPIRED = "challenge_expired";

/** Returns whether a sign-in failed because its challenge had expired. */
export const isTooLate = (error: unknown): boolean =>
  error === EXPIRED || (error instanceof ChatError && error.code === EXPIRED);

/** The reason of an aborted wait whose panel is gone or whose place another sign-in has taken. */
export const LEFT = "left";

/** The sign-in that began last in this page, and the only one that may change who is signed in. */
let latest: AbortController | undefined;

export type Progress = {
  onStep: (step: SignInStep) => void;
  /** Receives the milliseconds left to sign, and the link that asks a wallet elsewhere. */
  onQuestion: (leftMs: number, link?: string) => void;
  signal: AbortSignal;
};

/**
 * Proves an account to the gateway, which sets the session cookie.
 * @throws ChatError from the gateway, or the signer's own error.
 */
export type Prove = (username: string, progress: Progress) => Promise<{ accessToken: string }>;

/** Proves an account by a signature that this page receives and sends. */
export const proveBySignature =
  (sign: SignMessage): Prove =>
  async (username, { onStep, onQuestion, signal }) => {
    const { message, expiresAt } = await chatSession.auth.challenge(username);
    onStep("sign");
    // Both times are the server's, because this machine's clock may be wrong.
    const { timestamp } = JSON.parse(message) as { timestamp: number };
    onQuestion(Date.parse(expiresAt) - timestamp * 1000);
    const signature = await sign(username, message, signal);
    signal.throwIfAborted();
    onStep("login");
    return chatSession.auth.login({ username, message, signature });
  };

/** Proves the account to the gateway, and opens its chat. */
async function signIn(
  username: string,
  prove: Prove,
  { isByWallet, ...progress }: Progress & { isByWallet: boolean },
): Promise<void> {
  const { onStep } = progress;
  onStep("challenge");
  const { accessToken } = await prove(username, progress);
  if (progress.signal !== latest?.signal) throw LEFT;
  changePerson(username, isByWallet);
  onStep("bootstrap");
  await chatSession.signIn({ as: { username, accessToken } });
  tellOtherTabs(username);
}

/**
 * Revokes the chat token and ends the login session, and removes the purchases in this browser.
 * @throws ChatError if either could not be ended; the user then stays signed in
 */
export async function signOut(): Promise<void> {
  await chatSession.signOut().catch((error: unknown) => {
    // A user whose token is refused has no token left to revoke.
    if (!(error instanceof ChatError && error.status === 403)) throw error;
  });
  await chatSession.auth.logout();
  changePerson(null);
  tellOtherTabs(null);
  showBadge(0);
}

type State =
  | { kind: "idle" }
  /**
   * `until`: the time, as in `performance.now()`, after which a signature is too late, or null while none is
   * expected. `link`: asks a wallet elsewhere.
   */
  | { kind: "busy"; username: string; step: SignInStep; until: number | null; link?: string | undefined }
  | { kind: "failed"; error: unknown; step: SignInStep };

/**
 * The state of one sign-in. `onDone` runs once the chat is open. `cancel` ends the wait for a signature, as do a later
 * sign-in and the end of the component.
 */
export function useSignIn(onDone: (username: string) => void) {
  const [state, setState] = useState<State>({ kind: "idle" });
  const waiting = useRef<AbortController>(null);
  useEffect(() => () => waiting.current?.abort(LEFT), []);
  const start = async (username: string, prove: Prove, isByWallet: boolean) => {
    const leaving = new AbortController();
    latest?.abort(LEFT);
    latest = leaving;
    waiting.current = leaving;
    let step: SignInStep = "challenge";
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onStep = (next: SignInStep) => {
      clearTimeout(timer);
      step = next;
      setState({ kind: "busy", username, step, until: null });
    };
    const onQuestion = (leftMs: number, link?: string) => {
      setState({ kind: "busy", username, step, until: performance.now() + leftMs, link });
      // A wallet elsewhere answers at the gateway, which knows better whether it was too late.
      if (link === undefined) timer = setTimeout(() => leaving.abort(EXPIRED), leftMs);
    };
    try {
      await signIn(username, prove, { onStep, onQuestion, signal: leaving.signal, isByWallet });
      onDone(username);
    } catch (error) {
      const isLeft = leaving.signal.aborted && !isTooLate(error);
      setState(isLeft ? { kind: "idle" } : { kind: "failed", error, step });
    } finally {
      clearTimeout(timer);
    }
  };
  const reset = () => setState({ kind: "idle" });
  return { state, start, reset, cancel: () => waiting.current?.abort() };
}
