"use client";

import { useState } from "react";
import { type SignInStep, type SignMessage, signIn } from "./sign-in.ts";

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
