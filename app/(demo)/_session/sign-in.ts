"use client";

import { useState } from "react";
import { gateway } from "./gateway.ts";

/** Signs a text with the account's posting key and resolves to the signature in hex. */
export type SignMessage = (username: string, message: string) => Promise<string>;

export type SignInStep = "challenge" | "sign" | "login" | "bootstrap";

/**
 * Proves the account to the gateway and opens its chat; `onStep` tells what is going on.
 * @throws ChatError as the gateway answered, or what the signer threw.
 */
async function signIn(
  username: string,
  sign: SignMessage,
  onStep: (step: SignInStep) => void,
): Promise<void> {
  onStep("challenge");
  const { message } = await gateway.auth.challenge(username);
  onStep("sign");
  const signature = await sign(username, message);
  onStep("login");
  const { accessToken } = await gateway.auth.login({ username, message, signature });
  onStep("bootstrap");
  await gateway.signIn({ as: { username, accessToken } });
}

/** Ends the chat token and the session; both are gone on the server afterwards. */
export async function signOut(): Promise<void> {
  await gateway.signOut().catch(() => undefined);
  await gateway.auth.logout();
}

type State =
  | { kind: "idle" }
  | { kind: "busy"; username: string; step: SignInStep }
  | { kind: "failed"; error: unknown; step: SignInStep };

/** The course of one sign-in; `onDone` runs when the chat is open. */
export function useSignIn(onDone: (username: string) => void) {
  const [state, setState] = useState<State>({ kind: "idle" });
  const start = async (username: string, sign: SignMessage) => {
    let step: SignInStep = "challenge";
    try {
      await signIn(username, sign, (next) => {
        step = next;
        setState({ kind: "busy", username, step });
      });
      onDone(username);
    } catch (error) {
      setState({ kind: "failed", error, step });
    }
  };
  return { state, start, reset: () => setState({ kind: "idle" }) };
}
