"use client";

import { useEffect, useRef } from "react";
import { Button, buttonLook } from "../_ui/button.tsx";
import { QrCode } from "./qr-code.tsx";
import { isPhone } from "./sign-in-ways.ts";
import { strings } from "./wallet-strings.en.ts";
import { Countdown } from "./wallet-wait.tsx";

const texts = strings.phone;

/** Shown while a phone's wallet is asked: the link or the code that asks it, for how long, and the way back. */
export function PhoneWait({
  username,
  link,
  end,
  onCancel,
}: {
  username: string;
  link: string;
  /** The time, as in `performance.now()`, after which the wallet's signature is too late. */
  end: number;
  onCancel: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    // The pressed button is disabled while the page waits, so it has lost the focus.
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest" });
  }, []);
  const code = <QrCode text={link} label={texts.code} />;
  return (
    <div
      ref={box}
      tabIndex={-1}
      className="scroll-m-4 space-y-3 rounded-xl border border-line bg-raised p-4 text-sm outline-none"
    >
      <p role="status" className="font-medium [overflow-wrap:anywhere]">
        {isPhone() ? texts.open(username) : texts.scan(username)}
      </p>
      {isPhone() ? (
        <>
          <a href={link} className={buttonLook({ tone: "primary" }, "w-full")}>
            {texts.openButton}
          </a>
          <details>
            <summary className="font-medium text-link pointer-coarse:py-2.5">{texts.otherPhone}</summary>
            <div className="mt-2">{code}</div>
          </details>
        </>
      ) : (
        code
      )}
      <p className="text-ink-soft">{texts.onlyYours}</p>
      {window.location.protocol !== "https:" && <p className="text-warn">{texts.unreachable}</p>}
      <Countdown end={end} left={strings.left} />
      <Button size="small" onClick={onCancel}>
        {strings.cancel}
      </Button>
    </div>
  );
}
