"use client";

import { useRef, useState } from "react";
import { showBadge } from "../_ui/installed.ts";
import { changePerson, gateway } from "./gateway.ts";
import type { strings } from "./strings.en.ts";

/** Signs a text with the account's posting key and resolves to the signature in hex; the signal ends the waiting. */
export type SignMessage = (username: string, message: string, signal: AbortSignal) => Promise<string>;

export type SignInStep = keyof typeof strings.steps;

/**
 * Proves the account to the gateway and opens its chat; `onStep` tells what is going on.
 * @throws ChatError as the gateway answered, or what the signer threw.
 */
async function signIn(
  username: string,
  sign: SignMessage,
  {
    onStep,
    signal,
    isByWallet,
  }: { onStep: (step: SignInStep) => void; signal: AbortSignal; isByWallet: boolean },
): Promise<void> {
  onStep("challenge");
  const { message } = await gateway.auth.challenge(username);
  onStep("sign");
  const signature = await sign(username, message, signal);
  onStep("login");
  const { accessToken } = await gateway.auth.login({ username, message, signature });
  changePerson(username, isByWallet);
  onStep("bootstrap");
  await gateway.signIn({ as: { username, accessToken } });
}

/** Ends the chat token and the session; both are gone on the server afterwards, and from this browser what they bought meanwhile. */
export async function signOut(): Promise<void> {
  await gateway.signOut().catch(() => undefined);
  await gateway.auth.logout().finally(() => changePerson(null));
  showBadge(0);
}

type State =
  | { kind: "idle" }
  | { kind: "busy"; username: string; step: SignInStep }
  | { kind: "failed"; error: unknown; step: SignInStep };

/** The course of one sign-in; `onDone` runs when the chat is open, and `cancel` ends the waiting for a signature. */
export function useSignIn(onDone: (username: string) => void) {
  const [state, setState] = useState<State>({ kind: "idle" });
  const waiting = useRef<AbortController>(null);
  const start = async (username: string, sign: SignMessage, isByWallet: boolean) => {
    waiting.current = new AbortController();
    const { signal } = waiting.current;
    let step: SignInStep = "challenge";
    const onStep = (next: SignInStep) => {
      step = next;
      setState({ kind: "busy", username, step });
    };
    try {
      await signIn(username, sign, { onStep, signal, isByWallet });
      onDone(username);
    } catch (error) {
      setState(signal.aborted ? { kind: "idle" } : { kind: "failed", error, step });
    }
  };
  const reset = () => setState({ kind: "idle" });
  return { state, start, reset, cancel: () => waiting.current?.abort() };
}
