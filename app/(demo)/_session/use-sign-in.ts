"use client";

import { useEffect, useRef, useState } from "react";
import { ChatError } from "../../../lib/chat-client/index.ts";
import { forgetAskedWallet } from "./asked-wallet.ts";
import type { Gateway } from "./gateway.ts";
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
  ({ baseUrl, auth, host }: Gateway, sign: SignMessage): Prove =>
  async (username, { onStep, onQuestion, signal }) => {
    const { message, expiresAt } = await auth.challenge(username, { signal });
    // The gateway's own page trusts it as much as the script that it sent.
    if (baseUrl !== window.location.origin)
      (await import("../../../lib/chat-client/challenge.ts")).assertChallenge(message, {
        ...{ username, baseUrl, host },
      });
    onStep("sign");
    // Both times are the server's, because this machine's clock may be wrong.
    const { timestamp } = JSON.parse(message) as { timestamp: number };
    onQuestion(Date.parse(expiresAt) - timestamp * 1000);
    const signature = await sign(username, message, signal);
    signal.throwIfAborted();
    onStep("login");
    return auth.login({ username, message, signature });
  };

type State =
  | { kind: "idle" }
  /**
   * `until`: the time, as in `performance.now()`, after which a signature is too late, or null while none is
   * expected. `link`: asks a wallet elsewhere.
   */
  | { kind: "busy"; username: string; step: SignInStep; until: number | null; link?: string | undefined }
  | { kind: "failed"; error: unknown; step: SignInStep };

/** An account that has been proven to the gateway, and whether by a wallet. */
export type Proven = { username: string; accessToken: string; isByWallet: boolean };

/**
 * The state of one sign-in. `open` opens the chat of the proven account, and `onDone` runs after that. `cancel` ends the
 * wait for a signature, as do a later sign-in and the end of the component.
 */
export function useSignIn({
  open,
  onDone,
}: {
  open: (proven: Proven) => Promise<void>;
  onDone: (username: string) => void;
}) {
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
      onStep("challenge");
      const { accessToken } = await prove(username, { onStep, onQuestion, signal: leaving.signal });
      if (leaving !== latest) throw LEFT;
      forgetAskedWallet();
      onStep("bootstrap");
      await open({ username, accessToken, isByWallet });
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
