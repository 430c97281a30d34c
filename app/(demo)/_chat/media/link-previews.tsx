"use client";

import { useQuery } from "@tanstack/react-query";
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

/** What is behind the first links of a message, where the reader wants to see it. */
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

/** A picture that a message names by its address alone; where it is none, what else is there. */
function LinkedPicture({ href, instead }: { href: string; instead: ReactNode }) {
  const src = chatClient.pictures.url(href);
  const picture = { name: nameIn(href), src, fullSrc: src, link: { href, isDownload: false }, size: null };
  return <Picture picture={picture} instead={instead} />;
}

/** The last part of an address, in letters where it can be read. */
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
/** The same before, while and after it is asked for. */
const room = "my-1 h-18 max-w-lg";

/** Its room is there from the beginning, so that nothing moves when it comes; what has no preview stands in it by its address. */
function LinkPreview({ href }: { href: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [hasBeenSeen, setHasBeenSeen] = useState(false);
  const { data, isError } = useQuery({
    queryKey: queryKeys.preview(href),
    queryFn: ({ signal }) =>
      chatClient.previews.read(href, { signal }).catch((error: unknown) => {
        if (error instanceof ChatError && error.code === "not_found") return null;
        throw error;
      }),
    enabled: hasBeenSeen,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_FOR_MS,
    retry: false,
  });
  const found = isError ? null : data;
  useFirstSight(place, found === undefined && !hasBeenSeen, () => setHasBeenSeen(true));
  if (found !== undefined) return <PreviewCard href={href} preview={found ?? addressAlone(href)} />;
  return (
    <div
      ref={place}
      aria-hidden
      className={`${room} animate-pulse rounded-lg bg-sunken motion-reduce:animate-none`}
    />
  );
}

function addressAlone(href: string): Omit<Preview, "kind"> {
  const { host, pathname, search } = new URL(href);
  const title = pathname === "/" && search === "" ? host : `${pathname}${search}`;
  return { site: host, title, description: null, author: null, payout: null, picture: null };
}

/** Tells once when an element comes into the view of its list, as long as somebody wants to know. */
function useFirstSight(place: RefObject<HTMLElement | null>, isWanted: boolean, tell: () => void): void {
  const latest = useRef(tell);
  latest.current = tell;
  useEffect(() => {
    const element = place.current;
    if (!element || !isWanted) return;
    const observer = new IntersectionObserver(
      (entries) => entries.at(-1)?.isIntersecting && latest.current(),
      { root: element.closest("[role=log]") },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [place, isWanted]);
}

function PreviewCard({ href, preview }: { href: string; preview: Omit<Preview, "kind"> }) {
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
        // biome-ignore lint/performance/noImgElement: the gateway gives it as it is to be shown
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
