"use client";

import { useEffect, useRef, useState } from "react";
import type { Sandbox, SandboxAccount } from "../../../lib/contract/payment-answers.ts";
import { Avatar } from "../_ui/avatar.tsx";
import { Button } from "../_ui/button.tsx";
import { loadPart } from "../_ui/load-part.tsx";
import { Skeleton } from "../_ui/skeleton.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { MAX_TYPED_NAME, readAccountName, readSandbox, signMessageWithKey } from "./accounts.ts";
import { useChainHere } from "./chain-here.tsx";
import { signMessageWithKeychain, useMissingKeychain } from "./keychain.ts";
import { PostingKeyForm } from "./posting-key-form.tsx";
import { isTooLate, type Prove, proveBySignature, useSignIn } from "./sign-in.ts";
import { SignInFailure } from "./sign-in-failure.tsx";
import { rememberingWay, useWays, type Way } from "./sign-in-ways.ts";
import { strings } from "./strings.en.ts";
import { proveElsewhere, readAskedWallet } from "./wallet-elsewhere.ts";
import { useWalletsHere } from "./wallets-here.tsx";
import { WayPicture } from "./way-picture.tsx";

const WalletWait = loadPart(() => import("./wallet-wait.tsx").then((part) => part.WalletWait));
const KeychainMissing = loadPart(() => import("./wallet-wait.tsx").then((part) => part.KeychainMissing));
const SignedTooLate = loadPart(() => import("./wallet-wait.tsx").then((part) => part.SignedTooLate));
const ElsewhereWait = loadPart(() => import("./elsewhere-wait.tsx").then((part) => part.ElsewhereWait));
// Hive's main chain does not need this part.
const ChainForWallet = loadPart(
  () => import("./chain-for-wallet.tsx").then((part) => part.ChainForWallet),
  () => <div className="h-5 pointer-coarse:h-10" />,
);
const OtherChain = loadPart(() => import("./chain-for-wallet.tsx").then((part) => part.OtherChain));

/** All ways to sign in: a sandbox account, a wallet here or elsewhere, and on the sandbox a key. */
export function SignInPanel({ onSignedIn }: { onSignedIn: (username: string) => void }) {
  const [sandbox, setSandbox] = useState<Sandbox | null>();
  const { isMain } = useChainHere();
  const [username, setUsername] = useState("");
  const keychain = useMissingKeychain();
  const [isLooking, setIsLooking] = useState(false);
  const { ways, isOnPhone } = useWays();
  const wallets = useWalletsHere();
  /** The way of the current sign-in, or null for a key on this page. */
  const [way, setWay] = useState<Way | null>(null);
  const { state, start, reset, cancel } = useSignIn(onSignedIn);

  useEffect(() => {
    const leaving = new AbortController();
    readSandbox(leaving.signal).then(setSandbox, () => {
      if (!leaving.signal.aborted) setSandbox(null);
    });
    return () => leaving.abort();
  }, []);

  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    const asked = readAskedWallet();
    if (asked === null) return;
    setUsername(asked.username);
    enter(asked.username, proveElsewhere(asked.way, wallets, asked), asked.way);
  });
  useEffect(
    () => () => {
      // A panel that React mounts again goes on with the question that it left.
      begun.current = false;
    },
    [],
  );

  const form = useRef<HTMLFormElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const hasFailed = state.kind === "failed";
  const [isBack, setIsBack] = useState(false);
  useEffect(() => {
    // The failure's button is gone, and the focus with it.
    if (isBack && !hasFailed) panel.current?.focus();
  }, [isBack, hasFailed]);

  const isBusy = state.kind === "busy" || isLooking;
  const enter = (name: string, prove: Prove, by: Way | null) => {
    setWay(by);
    void start(name, by ? rememberingWay(by, prove) : prove, by !== null);
  };
  const askKeychain = async () => {
    setIsLooking(true);
    const isThere = await keychain.look();
    setIsLooking(false);
    if (isThere) enter(username, proveBySignature(signMessageWithKeychain), "keychain");
  };
  const ask = (by: Way) => {
    if (by === "keychain") void askKeychain();
    else enter(username, proveElsewhere(by, wallets), by);
  };

  if (hasFailed && way && isTooLate(state.error))
    return (
      <SignedTooLate
        way={way}
        onAskAgain={() => {
          reset();
          ask(way);
        }}
      />
    );
  if (hasFailed)
    return (
      <SignInFailure
        error={state.error}
        step={state.step}
        onRetry={() => {
          setIsBack(true);
          reset();
        }}
      >
        {!isMain && <OtherChain isWallet={way !== null} />}
      </SignInFailure>
    );

  const walletUntil = way && state.kind === "busy" ? state.until : null;
  /** The question to a wallet elsewhere, which takes the place of the other ways. */
  const asking =
    state.kind === "busy" && walletUntil !== null && state.link !== undefined && way && way !== "keychain"
      ? { way, username: state.username, link: state.link, end: walletUntil }
      : null;
  const [first = "keychain", ...others] = ways;
  return (
    <div ref={panel} tabIndex={-1} className="space-y-6 outline-none">
      {sandbox !== null && (
        <SandboxSignIn
          accounts={sandbox?.accounts}
          busyName={state.kind === "busy" ? state.username : null}
          onChoose={({ name, keys }) =>
            enter(
              name,
              proveBySignature((_name, message) => signMessageWithKey(keys.posting ?? "", message)),
              null,
            )
          }
        />
      )}
      <div className={sandbox === null ? "" : "border-t border-line pt-5"}>
        <form
          ref={form}
          onSubmit={(event) => {
            event.preventDefault();
            ask(first);
          }}
          className="flex flex-col gap-3 sm:flex-row"
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
            error={keychain.isMissing ? <KeychainMissing /> : undefined}
          />
          <Button
            type="submit"
            tone={sandbox === null ? "primary" : "quiet"}
            // The button is aligned with the field, whatever text is below the field.
            className="h-11 whitespace-nowrap sm:mt-[1.625rem]"
            isBusy={isBusy}
          >
            {strings[first].button}
          </Button>
        </form>
        <div className="mt-2">
          <WayPicture way={first} isOnPhone={isOnPhone} />
        </div>
        {asking === null &&
          others.map((other) => (
            <div key={other} className="mt-4 space-y-2">
              <Button
                isBusy={isBusy}
                onClick={() => {
                  if (form.current?.reportValidity()) ask(other);
                }}
              >
                {strings[other].button}
              </Button>
              <WayPicture way={other} isOnPhone={isOnPhone} />
            </div>
          ))}
        {!isMain && (
          <div className="mt-4">
            <ChainForWallet />
          </div>
        )}
        <details className="mt-4 text-sm">
          <summary className="font-medium text-link">{strings.key.summary}</summary>
          <PostingKeyForm
            button={strings.key.button}
            missing={username === "" ? strings.key.nameless : undefined}
            isBusy={isBusy}
            onKey={(key) =>
              enter(
                username,
                proveBySignature((_name, message) => signMessageWithKey(key, message)),
                null,
              )
            }
            className="mt-3 space-y-3"
          />
        </details>
      </div>
      {asking && <ElsewhereWait {...asking} onCancel={cancel} />}
      {state.kind === "busy" && walletUntil !== null && state.link === undefined && (
        <WalletWait asks={strings.walletWait.signIn(state.username)} end={walletUntil} onCancel={cancel} />
      )}
      <p role="status" className="-my-3 min-h-5 text-sm text-ink-soft">
        {state.kind === "busy" && walletUntil === null ? strings.steps[state.step] : ""}
      </p>
    </div>
  );
}

/** The sandbox's accounts, each a button that signs in. */
function SandboxSignIn({
  accounts,
  busyName,
  onChoose,
}: {
  accounts: readonly SandboxAccount[] | undefined;
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
                  disabled={busyName !== null}
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
