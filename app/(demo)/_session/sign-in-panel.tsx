"use client";

import { useEffect, useState } from "react";
import type { Sandbox, SandboxAccount } from "../../../lib/contract/payment-answers.ts";
import { Avatar } from "../_ui/avatar.tsx";
import { loadPart } from "../_ui/load-part.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { readSandbox, signMessageWithKey } from "./accounts.ts";
import { useChainHere } from "./chain-here.tsx";
import { chatSession } from "./chat-session.ts";
import { PostingKeyForm } from "./posting-key-form.tsx";
import { openChat } from "./sign-in.ts";
import { SignInForm } from "./sign-in-form.tsx";
import { strings } from "./strings.en.ts";
import { proveBySignature } from "./use-sign-in.ts";
import { useWalletsHere } from "./wallets-here.tsx";

// Hive's main chain does not need this part.
const ChainForWallet = loadPart(
  () => import("./chain-for-wallet.tsx").then((part) => part.ChainForWallet),
  () => <div className="h-5 pointer-coarse:h-11" />,
);
const OtherChain = loadPart(() => import("./chain-for-wallet.tsx").then((part) => part.OtherChain));

/** All ways to sign in: a sandbox account, a wallet here or elsewhere, and on the sandbox a key. */
export function SignInPanel({ onSignedIn }: { onSignedIn: (username: string) => void }) {
  const [sandbox, setSandbox] = useState<Sandbox | null>();
  const { isMain } = useChainHere();
  const wallets = useWalletsHere();
  /** True if the page last signed in by a typed key, not by an account of the sandbox. */
  const [isByKey, setIsByKey] = useState(false);

  useEffect(() => {
    const leaving = new AbortController();
    readSandbox(leaving.signal).then(setSandbox, () => {
      if (!leaving.signal.aborted) setSandbox(null);
    });
    return () => leaving.abort();
  }, []);

  return (
    <SignInForm
      gateway={chatSession}
      wallets={wallets}
      open={openChat}
      onSignedIn={onSignedIn}
      isSecond={sandbox !== null}
      above={({ isBusy, busyName, enter }) =>
        sandbox !== null && (
          <SandboxSignIn
            accounts={sandbox?.accounts}
            isBusy={isBusy}
            busyName={isByKey ? null : busyName}
            onChoose={({ name, keys }) => {
              setIsByKey(false);
              enter(name, proveByKey(keys.posting ?? ""));
            }}
          />
        )
      }
      below={({ username, isBusy, busyName, hasName, enter }) => (
        <>
          {!isMain && (
            <div className="mt-4">
              <ChainForWallet />
            </div>
          )}
          <details className="mt-4 text-sm">
            <summary className="font-medium text-link">{strings.key.summary}</summary>
            <PostingKeyForm
              button={strings.key.button}
              isReady={() => hasName(strings.key.nameless)}
              isBusy={isByKey && busyName !== null}
              disabled={isBusy}
              onKey={(key) => {
                setIsByKey(true);
                enter(username, proveByKey(key));
              }}
              className="mt-3 space-y-3"
            />
          </details>
        </>
      )}
      onUnknownSignature={(isByWallet) => !isMain && <OtherChain isWallet={isByWallet} />}
    />
  );
}

const proveByKey = (key: string) =>
  proveBySignature(chatSession, (_name, message) => signMessageWithKey(key, message));

/** The sandbox's accounts, each a button that signs in. */
function SandboxSignIn({
  accounts,
  isBusy,
  busyName,
  onChoose,
}: {
  accounts: readonly SandboxAccount[] | undefined;
  isBusy: boolean;
  busyName: string | null;
  onChoose: (account: SandboxAccount) => void;
}) {
  return (
    <section aria-labelledby="sandbox-accounts">
      <h2 id="sandbox-accounts" className="font-semibold">
        {strings.sandbox.title}
      </h2>
      <p className="mt-1 text-sm text-ink-soft">{strings.sandbox.hint}</p>
      <ul className="mt-4 grid grid-cols-2 gap-2 sm:grid-cols-3">
        {accounts
          ? accounts.map((account) => (
              <li key={account.name}>
                <button
                  type="button"
                  aria-label={strings.sandbox.signInAs(account.name)}
                  aria-busy={busyName === account.name}
                  disabled={isBusy}
                  onClick={() => onChoose(account)}
                  className="flex w-full items-center gap-2 rounded-xl border border-line bg-raised px-2 py-3 text-start transition-colors hover:border-line-strong disabled:opacity-60"
                >
                  <Avatar name={account.name} />
                  <span className="min-w-0">
                    <span className="block truncate font-medium">{account.name}</span>
                    <span className="block truncate text-xs text-ink-soft tabular-nums">{account.hbd}</span>
                  </span>
                </button>
              </li>
            ))
          : ["a", "b", "c", "d", "e", "f"].map((key) => (
              <li key={key}>
                <Skeleton className="h-[4.125rem] rounded-xl" />
              </li>
            ))}
      </ul>
    </section>
  );
}
