"use client";

import { useId } from "react";
import { isPhone } from "../../../lib/wallet-links/is-phone.ts";
import { Button, buttonLook } from "../_ui/button.tsx";
import { useFocusOnArrival } from "../_ui/focus-on-arrival.ts";
import { QrCode } from "./qr-code.tsx";
import { strings } from "./wallet-strings.en.ts";
import { Countdown, KEYCHAIN_SITE, useLongWait } from "./wallet-wait.tsx";
import type { ElsewhereWay } from "./way.ts";

/** The texts of one wallet; one without `code` opens in this browser only. */
type Texts = {
  scan?: (account: string) => string;
  open: (account: string) => string;
  openButton: string;
  noAnswer: string;
  code?: string;
  get?: string;
};

const texts: Readonly<Record<ElsewhereWay, Texts>> = strings;

const sites: Readonly<Record<ElsewhereWay, string>> = {
  phone: KEYCHAIN_SITE,
  hiveauth: "https://hiveauth.com",
  ecency: "https://ecency.com/mobile",
  hivesigner: "https://hivesigner.com",
};

/** Shown while a wallet elsewhere is asked: the link or the code that asks it, for how long, and the way back. */
export function ElsewhereWait({
  way,
  username,
  link,
  end,
  onCancel,
}: {
  way: ElsewhereWay;
  username: string;
  link: string;
  /** The time, as in `performance.now()`, after which the wallet's signature is too late. */
  end: number;
  onCancel: () => void;
}) {
  const box = useFocusOnArrival();
  const sentence = useId();
  const isLong = useLongWait();
  const { scan, open, openButton, noAnswer, code: label, get } = texts[way];
  const isHere = isPhone() || label === undefined;
  const code = label !== undefined && <QrCode text={link} label={label} />;
  const opener = (
    <a
      href={link}
      // This page goes on by itself, so an address of the web opens beside it.
      {...(link.startsWith("https:") && { target: "_blank", rel: "noreferrer noopener" })}
      className={buttonLook({ tone: isHere ? "primary" : "quiet" }, "w-full")}
    >
      {openButton}
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
          {isHere || !scan ? open(username) : scan(username)}
        </p>
        {/* Screen readers announce only what is added to a region that they already know. */}
        <div role="status">
          {isLong && (
            <p className="mt-2">
              <span>{noAnswer} </span>
              {get !== undefined && (
                <a
                  href={sites[way]}
                  target="_blank"
                  rel="noreferrer noopener"
                  className="whitespace-nowrap underline"
                >
                  {get}
                </a>
              )}
            </p>
          )}
        </div>
      </div>
      {isHere ? opener : code}
      {code && (
        <details>
          <summary className="font-medium text-link pointer-coarse:py-3">
            {isHere ? strings.otherPhone : strings.here}
          </summary>
          <div className="mt-2">{isHere ? code : opener}</div>
        </details>
      )}
      <p className="text-ink-soft">{strings.onlyYours}</p>
      {(way === "phone" || way === "ecency") && window.location.protocol !== "https:" && (
        <p className="text-warn">{strings.unreachable}</p>
      )}
      <Countdown end={end} left={strings.left} />
      <Button size="small" onClick={onCancel}>
        {strings.cancel}
      </Button>
    </div>
  );
}
