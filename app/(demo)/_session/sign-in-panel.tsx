"use client";

import { useEffect, useRef, useState } from "react";
import { Button } from "../_ui/button.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { KeySignIn } from "./key-sign-in.tsx";
import { hasKeychain, signMessageWithKeychain } from "./keychain.ts";
import { MAX_TYPED_NAME, readAccountName } from "./read-account-name.ts";
import { readSandboxAccounts, type SandboxAccount } from "./sandbox-accounts.ts";
import { SandboxSignIn } from "./sandbox-sign-in.tsx";
import { SignInFailure } from "./sign-in-failure.tsx";
import { signMessageWithKey } from "./sign-with-key.ts";
import { strings } from "./strings.en.ts";
import { useSignIn } from "./use-sign-in.ts";

/** All ways in: a sandbox account, a wallet, and on the sandbox a key. */
export function SignInPanel({ onSignedIn }: { onSignedIn: (username: string) => void }) {
  const [accounts, setAccounts] = useState<readonly SandboxAccount[] | null>();
  const [username, setUsername] = useState("");
  const [isKeychainMissing, setIsKeychainMissing] = useState(false);
  const { state, start, reset } = useSignIn(onSignedIn);

  useEffect(() => {
    const leaving = new AbortController();
    readSandboxAccounts(leaving.signal).then(setAccounts, () => {
      if (!leaving.signal.aborted) setAccounts(null);
    });
    return () => leaving.abort();
  }, []);

  const ways = useRef<HTMLDivElement>(null);
  const hasFailed = state.kind === "failed";
  const [isBack, setIsBack] = useState(false);
  useEffect(() => {
    // The button of the failure is gone, and its focus with it.
    if (isBack && !hasFailed) ways.current?.focus();
  }, [isBack, hasFailed]);

  if (hasFailed)
    return (
      <SignInFailure
        error={state.error}
        step={state.step}
        onRetry={() => {
          setIsBack(true);
          reset();
        }}
      />
    );

  const isBusy = state.kind === "busy";
  const askKeychain = () => {
    if (!hasKeychain()) setIsKeychainMissing(true);
    else void start(username, signMessageWithKeychain);
  };
  return (
    <div ref={ways} tabIndex={-1} className="space-y-6 outline-none">
      {accounts !== null && (
        <SandboxSignIn
          accounts={accounts}
          busyName={isBusy ? state.username : null}
          onChoose={({ name, keys }) =>
            void start(name, (_name, message) => signMessageWithKey(keys.posting ?? "", message))
          }
        />
      )}
      <div className={accounts === null ? "" : "border-t border-line pt-5"}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            askKeychain();
          }}
          className="flex flex-col gap-3 sm:flex-row sm:items-end"
        >
          <TextField
            label={strings.username}
            placeholder={strings.usernamePlaceholder}
            value={username}
            onChange={(event) => setUsername(readAccountName(event.target.value))}
            autoCapitalize="none"
            autoComplete="username"
            spellCheck={false}
            maxLength={MAX_TYPED_NAME}
            required
            className="grow"
            error={isKeychainMissing ? strings.keychain.missing : undefined}
          />
          <Button
            type="submit"
            tone={accounts === null ? "primary" : "quiet"}
            className="h-11 whitespace-nowrap"
            isBusy={isBusy}
          >
            {strings.keychain.button}
          </Button>
        </form>
        <KeySignIn
          username={username}
          isSandbox={accounts !== null && accounts !== undefined}
          isBusy={isBusy}
          onSign={(sign) => void start(username, sign)}
        />
      </div>
      <p role="status" className="min-h-5 text-sm text-ink-soft">
        {isBusy ? strings.steps[state.step] : ""}
      </p>
    </div>
  );
}
