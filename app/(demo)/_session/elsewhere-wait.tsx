"use client";

import { useEffect, useId, useRef } from "react";
import { isPhone } from "../../../lib/wallet-links/is-phone.ts";
import { Button, buttonLook } from "../_ui/button.tsx";
import { QrCode } from "./qr-code.tsx";
import { strings } from "./wallet-strings.en.ts";
import { Countdown, KEYCHAIN_SITE, useLongWait } from "./wallet-wait.tsx";

const texts = strings.phone;

/** Shown while a phone's wallet is asked: the link and the code that ask it, for how long, and the way back. */
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
  const sentence = useId();
  const isLong = useLongWait();
  const isHere = isPhone();
  const code = <QrCode text={link} label={texts.code} />;
  const opener = (
    <a href={link} className={buttonLook({ tone: isHere ? "primary" : "quiet" }, "w-full")}>
      {texts.openButton}
    </a>
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a group of fields
    <div
      ref={box}
      role="group"
      aria-labelledby={sentence}
      tabIndex={-1}
      className="scroll-m-4 space-y-3 rounded-xl border border-line bg-raised p-4 text-sm outline-none"
    >
      <div>
        <p id={sentence} className="font-medium [overflow-wrap:anywhere]">
          {isHere ? texts.open(username) : texts.scan(username)}
        </p>
        {/* Screen readers announce only what is added to a region that they already know. */}
        <div role="status">
          {isLong && (
            <p className="mt-2">
              {texts.noAnswer}{" "}
              <a
                href={KEYCHAIN_SITE}
                target="_blank"
                rel="noreferrer noopener"
                className="whitespace-nowrap underline"
              >
                {strings.get}
              </a>
            </p>
          )}
        </div>
      </div>
      {isHere ? opener : code}
      <details>
        <summary className="font-medium text-link pointer-coarse:py-2.5">
          {isHere ? texts.otherPhone : texts.here}
        </summary>
        <div className="mt-2">{isHere ? code : opener}</div>
      </details>
      <p className="text-ink-soft">{texts.onlyYours}</p>
      {window.location.protocol !== "https:" && <p className="text-warn">{texts.unreachable}</p>}
      <Countdown end={end} left={strings.left} />
      <Button size="small" onClick={onCancel}>
        {strings.cancel}
      </Button>
    </div>
  );
}
