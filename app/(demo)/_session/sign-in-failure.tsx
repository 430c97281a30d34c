"use client";

import { CloudOff, KeyRound, Undo2 } from "lucide-react";
import type { ReactNode } from "react";
import { ChatError } from "../../../lib/chat-client/index.ts";
import { Button } from "../_ui/button.tsx";
import { Notice } from "../_ui/notice.tsx";
import { KeyError } from "./key-error.ts";
import { WalletError } from "./keychain.ts";
import { strings } from "./strings.en.ts";
import { FailureDetails } from "./unavailable.tsx";
import type { SignInStep } from "./use-sign-in.ts";

type Kind = keyof typeof strings.failures;

function kindOf(error: unknown, step: SignInStep): Kind {
  if (error instanceof WalletError && error.isStillAsking) return "wallet_asking";
  if (error instanceof WalletError && error.isUnreachable) return "relay";
  if (error instanceof WalletError) return error.isCancelled ? "cancelled" : "wallet";
  if (error instanceof KeyError) return "malformed_key";
  // Only the first request contains a typed name.
  if (error instanceof ChatError && error.status === 400 && step === "challenge") return "malformed_name";
  if (error instanceof ChatError && error.code in strings.failures) return error.code as Kind;
  if (error instanceof ChatError && error.code === "chain_unavailable") return "auth_unavailable";
  return error instanceof ChatError && error.requestId ? "other" : "unknown";
}

const icons: Partial<Record<Kind, typeof KeyRound>> = {
  unauthorized: KeyRound,
  cancelled: Undo2,
  wallet: KeyRound,
  malformed_key: KeyRound,
};

/** The reason why signing in failed, in words for this failure, and the next step. */
export function SignInFailure({
  error,
  step,
  onRetry,
  children,
}: {
  error: unknown;
  step: SignInStep;
  onRetry: () => void;
  /** Help for an unknown signature. */
  children?: ReactNode;
}) {
  const kind = kindOf(error, step);
  const { title, text } = strings.failures[kind];
  const Icon = icons[kind] ?? CloudOff;
  return (
    <Notice
      tone={kind === "cancelled" || kind === "wallet_asking" ? "neutral" : "danger"}
      icon={<Icon aria-hidden size={28} />}
      title={title}
      actions={
        <Button tone="primary" autoFocus onClick={onRetry}>
          {strings.tryAgain}
        </Button>
      }
    >
      <p>{text}</p>
      {error instanceof WalletError && error.said && <p className="mt-2">{strings.walletSays(error.said)}</p>}
      {kind === "unauthorized" && children}
      <FailureDetails error={error} />
    </Notice>
  );
}
