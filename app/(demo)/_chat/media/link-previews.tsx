"use client";

import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { ChatError, type Preview } from "#lib/chat-client/index.ts";
import { useChat } from "../chat-context.ts";
import { queryKeys } from "../data/cache.ts";
import { chatClient } from "../data/chat-client.ts";
import { linksIn, mayBePicture, mayBePost, previews } from "./links.ts";
import { Picture } from "./picture.tsx";
import { strings } from "./strings.en.ts";

/** Previews of a message's first links, if the reader wants them. */
export function LinkPreviews({ text }: { text: string }) {
  const { showsOutside } = useChat();
  const choice = useSyncExternalStore(previews.subscribe, previews.snapshot, previews.snapshot);
  const links = useMemo(
    () =>
      choice === "on"
        ? linksIn(text, window.location.origin).filter((href) => showsOutside || mayBePost(href))
        : [],
    [text, showsOutside, choice],
  );
  return links.map((href) => {
    const card = <LinkPreview key={href} href={href} />;
    return mayBePicture(href) ? <LinkedPicture key={href} href={href} instead={card} /> : card;
  });
}

/** Shows the picture at an address in a message or, if it is not a picture, a preview of the link. */
function LinkedPicture({ href, instead }: { href: string; instead: ReactNode }) {
  const src = chatClient.pictures.url(href);
  const picture = { name: nameIn(href), src, fullSrc: src, link: { href, isDownload: false }, size: null };
  return <Picture picture={picture} instead={instead} />;
}

/** Returns the last part of an address, unescaped if possible. */
function nameIn(href: string): string {
  const { pathname } = new URL(href);
  const name = pathname.slice(pathname.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const KEPT_FOR_MS = 3_600_000;
/** Size and margin of a card, the same before, during and after the request. */
const room = "my-1 h-18 max-w-lg";

/**
 * The card of a link. Its space is reserved from the beginning, so that nothing moves when the preview
 * arrives. Without a preview, the space is released once it is out of view.
 */
function LinkPreview({ href }: { href: string }) {
  const place = useRef<HTMLDivElement>(null);
  const isInView = useIsInView(place);
  const { data, isError } = useQuery({
    queryKey: queryKeys.preview(href),
    queryFn: ({ signal }) =>
      chatClient.previews.read(href, { signal }).catch((error: unknown) => {
        if (error instanceof ChatError && error.code === "not_found") return null;
        throw error;
      }),
    enabled: isInView,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_FOR_MS,
    retry: false,
  });
  if (data) return <PreviewCard href={href} preview={data} />;
  const isAbsent = isError || data === null;
  if (isAbsent && !isInView) return null;
  return (
    <div
      ref={place}
      aria-hidden
      className={clsx(room, !isAbsent && "animate-pulse rounded-lg bg-sunken motion-reduce:animate-none")}
    />
  );
}

/**
 * Returns whether an element is in the view of its list. After the element's removal, the last value stays.
 */
function useIsInView(place: RefObject<HTMLElement | null>): boolean {
  const [isInView, setIsInView] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => setIsInView(entries.at(-1)?.isIntersecting ?? false),
      { root: element.closest("[role=log]") },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return isInView;
}

function PreviewCard({ href, preview }: { href: string; preview: Preview }) {
  const { site, title, author, payout, description, picture } = preview;
  const [isBroken, setIsBroken] = useState(false);
  const line = payout ? strings.preview[payout.isPaid ? "paid" : "pending"](payout.amount) : description;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className={`${room} flex overflow-hidden rounded-lg border border-line bg-surface hover:border-line-strong`}
    >
      <span className="flex min-w-0 grow flex-col justify-center px-3">
        <span className="truncate text-xs text-ink-soft">
          <bdi>{site}</bdi>
          {author && (
            <>
              {" · "}
              <bdi>@{author}</bdi>
            </>
          )}
        </span>
        <span dir="auto" title={title} className="truncate text-sm font-medium">
          {title}
        </span>
        {line && (
          <span dir="auto" className="truncate text-xs text-ink-soft">
            {line}
          </span>
        )}
      </span>
      {picture && !isBroken && (
        // biome-ignore lint/performance/noImgElement: the gateway serves it ready to show
        <img
          src={chatClient.pictures.url(picture)}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setIsBroken(true)}
          className="h-full w-24 shrink-0 bg-sunken object-cover"
        />
      )}
    </a>
  );
}
