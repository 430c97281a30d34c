"use client";

import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "../_ui/button.tsx";
import { loadPart } from "../_ui/load-part.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { readAskedWallet } from "./asked-wallet.ts";
import type { Gateway } from "./gateway.ts";
import { signMessageWithKeychain, useMissingKeychain } from "./keychain.ts";
import { SignInFailure } from "./sign-in-failure.tsx";
import { rememberingWay, useWays } from "./sign-in-ways.ts";
import { strings } from "./strings.en.ts";
import { MAX_TYPED_NAME, readAccountName } from "./typed-name.ts";
import { isTooLate, type Prove, type Proven, proveBySignature, useSignIn } from "./use-sign-in.ts";
import type { WalletsHere } from "./wallets-here.tsx";
import type { Way } from "./way.ts";
import { WayPicture } from "./way-picture.tsx";

const WalletWait = loadPart(() => import("./wallet-wait.tsx").then((part) => part.WalletWait));
const KeychainMissing = loadPart(() => import("./wallet-wait.tsx").then((part) => part.KeychainMissing));
const SignedTooLate = loadPart(() => import("./wallet-wait.tsx").then((part) => part.SignedTooLate));
const ElsewhereWait = loadPart(() => import("./elsewhere-wait.tsx").then((part) => part.ElsewhereWait));

// Most users who sign in never need this part.
const proveElsewhere: typeof import("./wallet-elsewhere.ts").proveElsewhere =
  (...asked) =>
  async (...given) =>
    (await import("./wallet-elsewhere.ts")).proveElsewhere(...asked)(...given);

/** The form, as seen by other ways to sign in that a page offers above or below it. */
export type FormState = {
  /** The typed name. */
  username: string;
  isBusy: boolean;
  /** The account that is being signed in by a proof of the page's own, or null. */
  busyName: string | null;
  /** Returns whether a name is typed. Without one, it asks for it with this text and moves the focus there. */
  hasName: (request: string) => boolean;
  /** Signs an account in by a proof of the page's own. */
  enter: (username: string, prove: Prove) => void;
};

/** A form that signs an account in by a wallet in this browser or elsewhere, the one used last first. */
export function SignInForm({
  gateway,
  wallets,
  open,
  onSignedIn,
  isSecond = false,
  above,
  below,
  onUnknownSignature,
}: {
  gateway: Gateway;
  wallets: WalletsHere;
  /** Opens the chat of the proven account. */
  open: (proven: Proven) => Promise<void>;
  onSignedIn: (username: string) => void;
  /** True if the page suggests another way first. */
  isSecond?: boolean;
  above?: (form: FormState) => ReactNode;
  below?: (form: FormState) => ReactNode;
  /** Returns help for a signature that the gateway does not know. */
  onUnknownSignature?: (isByWallet: boolean) => ReactNode;
}) {
  const [username, setUsername] = useState("");
  const keychain = useMissingKeychain();
  const [isLooking, setIsLooking] = useState(false);
  const { ways, isOnPhone } = useWays(wallets);
  /** The way of the current sign-in, or null for a key on this page. */
  const [way, setWay] = useState<Way | null>(null);
  const { state, start, reset, cancel } = useSignIn({ open, onDone: onSignedIn });

  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    const asked = readAskedWallet(gateway.baseUrl);
    if (asked === null) return;
    setUsername(asked.username);
    enter(asked.username, proveElsewhere(gateway, asked.way, { wallets, earlier: asked }), asked.way);
  });
  useEffect(
    () => () => {
      // A panel that React mounts again goes on with the question that it left.
      begun.current = false;
    },
    [],
  );

  const field = useRef<HTMLFormElement>(null);
  const nameField = useRef<HTMLInputElement>(null);
  const [nameRequest, setNameRequest] = useState<string>();
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
    setWay("keychain");
    setIsLooking(true);
    const isThere = await keychain.look();
    setIsLooking(false);
    if (isThere) enter(username, proveBySignature(gateway, signMessageWithKeychain), "keychain");
  };
  const ask = (by: Way) => {
    if (by === "keychain") void askKeychain();
    else enter(username, proveElsewhere(gateway, by, { wallets }), by);
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
        {onUnknownSignature?.(way !== null)}
      </SignInFailure>
    );

  const walletUntil = way && state.kind === "busy" ? state.until : null;
  /** The question to a wallet elsewhere, which takes the place of the other ways. */
  const asking =
    state.kind === "busy" && walletUntil !== null && state.link !== undefined && way && way !== "keychain"
      ? { way, username: state.username, link: state.link, end: walletUntil }
      : null;
  const [first = "keychain", ...others] = ways;
  const shown = asking?.way ?? first;
  const form: FormState = {
    ...{ username, isBusy, busyName: state.kind === "busy" && way === null ? state.username : null },
    hasName: (request) => {
      if (username !== "") return true;
      setNameRequest(request);
      nameField.current?.focus();
      return false;
    },
    enter: (name, prove) => enter(name, prove, null),
  };
  return (
    <div ref={panel} tabIndex={-1} className="space-y-6 outline-none">
      {above?.(form)}
      <div className={isSecond ? "border-t border-line pt-5" : ""}>
        <form
          ref={field}
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
            ref={nameField}
            onChange={(event) => {
              setUsername(readAccountName(event.target.value));
              setNameRequest(undefined);
            }}
            autoCapitalize="none"
            autoComplete="username"
            spellCheck={false}
            maxLength={MAX_TYPED_NAME}
            required
            className="grow"
            error={nameRequest ?? (keychain.isMissing ? <KeychainMissing /> : undefined)}
          />
          <Button
            type="submit"
            tone={isSecond ? "quiet" : "primary"}
            // The button is aligned with the field, whatever text is below the field.
            className="h-11 whitespace-nowrap sm:mt-[1.625rem]"
            isBusy={isBusy && way === shown}
            disabled={isBusy}
          >
            {strings[shown].button}
          </Button>
        </form>
        <div className="mt-2">
          <WayPicture way={shown} isOnPhone={isOnPhone} />
        </div>
        {asking === null &&
          others.map((other) => (
            <div key={other} className="mt-4 space-y-2">
              <Button
                isBusy={isBusy && way === other}
                disabled={isBusy}
                onClick={() => {
                  if (field.current?.reportValidity()) ask(other);
                }}
              >
                {strings[other].button}
              </Button>
              <WayPicture way={other} isOnPhone={isOnPhone} />
            </div>
          ))}
        {below?.(form)}
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
