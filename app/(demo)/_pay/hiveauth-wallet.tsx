"use client";

import { useEffect, useRef, useState } from "react";
import { personHere } from "../_session/person.ts";
import { QrCode } from "../_session/qr-code.tsx";
import { MAX_TYPED_NAME, readAccountName } from "../_session/typed-name.ts";
import { Button, buttonLook } from "../_ui/button.tsx";
import { TextField } from "../_ui/text-field.tsx";
import { beginAsk, cancelAsk, type HiveAuthAsk, useHiveAuthAsk } from "./hiveauth-asks.ts";
import type { KeptClaim } from "./kept-claims.ts";
import { strings } from "./transfer-strings.en.ts";

/** Has a wallet of HiveAuth send a claim's transfer: it admits the page first, and is then asked once. */
export function HiveAuthWallet({
  claim,
  relay,
  isHere,
  isFirst,
  onChoose,
}: {
  claim: KeptClaim;
  relay: string;
  /** True if the wallet is on this device. */
  isHere: boolean;
  /** True if the way was used last, so that it is not folded. */
  isFirst: boolean;
  onChoose: () => void;
}) {
  const ask = useHiveAuthAsk(claim);
  const [isOpen, setOpen] = useState(isFirst || ask.kind !== "idle");
  const [account, setAccount] = useState(() => personHere() ?? "");
  const box = useFocusOnChange(ask.kind);
  const link = ask.kind === "admitting" ? ask.link : null;
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="font-medium text-link pointer-coarse:py-3">{strings.hiveauth.title}</summary>
      <div ref={box} tabIndex={-1} className="mt-2 space-y-3 outline-none">
        <p role="status" className={ask.kind === "idle" ? "text-warn empty:hidden" : ""}>
          {textOf(ask, isHere)}
        </p>
        {ask.kind === "idle" && (
          <form
            className="space-y-2"
            onSubmit={(event) => {
              event.preventDefault();
              onChoose();
              void beginAsk(claim, { relay, account });
            }}
          >
            <TextField
              label={strings.hiveauth.account}
              value={account}
              onChange={(event) => setAccount(readAccountName(event.target.value))}
              autoCapitalize="none"
              autoComplete="username"
              spellCheck={false}
              maxLength={MAX_TYPED_NAME}
            />
            <Button type="submit" size="small" disabled={account.length < 3}>
              {strings.hiveauth.ask}
            </Button>
          </form>
        )}
        {link !== null && !isHere && <QrCode text={link} label={strings.hiveauth.code} />}
        {link !== null && (
          <a href={link} className={buttonLook({ tone: isHere ? "primary" : "quiet" }, "w-full")}>
            {strings.hiveauth.open}
          </a>
        )}
        {ask.kind === "admitting" && (
          <Button size="small" onClick={() => cancelAsk(claim)}>
            {strings.hiveauth.cancel}
          </Button>
        )}
      </div>
    </details>
  );
}

function textOf(ask: HiveAuthAsk, isHere: boolean): string | null {
  const { unsent, connecting, admit, admitHere, asked } = strings.hiveauth;
  if (ask.kind === "idle") return ask.unsent && unsent[ask.unsent];
  if (ask.kind === "asked") return asked;
  if (ask.link === null) return connecting;
  return isHere ? admitHere : admit;
}

/** Returns the ref of a box that takes the focus when its kind changes, because its pressed button is gone then. */
function useFocusOnChange(kind: HiveAuthAsk["kind"]) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useRef(kind);
  useEffect(() => {
    if (shown.current !== kind) box.current?.focus({ preventScroll: true });
    shown.current = kind;
  }, [kind]);
  return box;
}
