"use client";

import Link from "next/link";
import type { ReactNode } from "react";
import { useChat } from "../chat-context.ts";
import { chatClient } from "../data/chat-client.ts";
import { Picture } from "../media/picture.tsx";

const look = "text-link underline underline-offset-2 hover:no-underline";

/** Returns the address that a message may link to, or null, for example for an anchor within the message. */
function safeAddress(href: string | undefined): URL | null {
  if (!href || href.startsWith("#") || !URL.canParse(href, window.location.origin)) return null;
  const address = new URL(href, window.location.origin);
  return ["http:", "https:", "mailto:"].includes(address.protocol) ? address : null;
}

/**
 * A link in a message. Inside this chat it stays on the page; otherwise it opens a tab that does not learn
 * which page opened it.
 */
export function MarkdownLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const address = safeAddress(href);
  if (!address) return children;
  if (address.origin === window.location.origin && address.pathname.startsWith("/chat/"))
    return (
      <Link href={`${address.pathname}${address.search}`} prefetch={false} className={look}>
        {children}
      </Link>
    );
  return (
    <a href={address.href} target="_blank" rel="noopener noreferrer nofollow" className={look}>
      {children}
    </a>
  );
}

/** Returns the text of a link without words: the host of its address or, without a host, the address. */
export const hostOf = (href: string | undefined) => safeAddress(href)?.host || href;

/**
 * A picture in a message. Loading it from another server would reveal who reads what, and when, so the
 * gateway fetches it, or it stays a link.
 */
export function MarkdownPicture({ address, name }: { address: string; name: string }) {
  const { showsOutside } = useChat();
  const url = safeAddress(address);
  if (!showsOutside || !url || url.protocol === "mailto:" || url.origin === window.location.origin)
    return <MarkdownLink href={address}>{name || address}</MarkdownLink>;
  const src = chatClient.pictures.url(url.href);
  const link = { href: url.href, isDownload: false };
  return <Picture picture={{ name, src, fullSrc: src, link, size: null }} />;
}
