"use client";

import { createContext, type ReactNode, useContext, useEffect } from "react";
import { Button, buttonLook } from "../_ui/button.tsx";
import { loadPart } from "../_ui/load-part.tsx";
import { Notice } from "../_ui/notice.tsx";
import { usePageTitle } from "../_ui/page-title.ts";
import { strings as ui } from "../_ui/strings.en.ts";
import { strings } from "./frame-texts.en.ts";

const { broken } = strings;

/** The header of pages that replace others. It loads only when it is shown, which is hardly ever. */
export const LateSiteHeader = loadPart(
  () => import("./site-header.tsx").then((part) => part.SiteHeader),
  () => <div className="h-16" />,
);

const Footer = createContext<ReactNode>(null);

/**
 * Passes down the footer that the server renders, because only the server knows the address of the source.
 */
export function FooterProvider({ footer, children }: { footer: ReactNode; children: ReactNode }) {
  return <Footer value={footer}>{children}</Footer>;
}

/**
 * Shown after a page failed: says what happened, and where to go next. `digest` identifies the failure in the
 * server's log. Without a network the page lacks a part, so it loads again once there is one.
 */
export function BrokenPage({ digest, onRetry }: { digest: string | undefined; onRetry: () => void }) {
  const isOffline = !navigator.onLine;
  const { title, text, retry } = isOffline ? ui.offline : broken;
  usePageTitle(`${title} · Hivegate`);
  useEffect(() => {
    window.ononline = isOffline ? () => location.reload() : null;
    return () => {
      window.ononline = null;
    };
  }, [isOffline]);
  const footer = useContext(Footer);
  return (
    <>
      <main id="content" className="mx-auto w-full max-w-xl px-4 py-16">
        <Notice
          heading="h1"
          tone="danger"
          title={title}
          actions={
            <>
              <Button tone="primary" onClick={onRetry}>
                {retry}
              </Button>
              {/* A full page load, because a script that is already loaded may have caused the failure. */}
              <a href="/" className={buttonLook()}>
                {broken.home}
              </a>
            </>
          }
        >
          <p>{text}</p>
          {digest && <p className="mt-2 font-mono text-xs">{broken.withNumber(digest)}</p>}
        </Notice>
      </main>
      {footer}
    </>
  );
}
