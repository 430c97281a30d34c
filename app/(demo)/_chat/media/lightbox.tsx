"use client";

import { clsx } from "clsx";
import { ChevronLeft, ChevronRight, Download, ExternalLink, X } from "lucide-react";
import { Dialog } from "radix-ui";
import { type KeyboardEvent, type TouchEvent, useRef, useState } from "react";
import { strings } from "./strings.en.ts";

/** A size in CSS pixels. */
export type Size = { width: number; height: number };

export type ShownPicture = {
  /** Name for screen readers; may be empty. */
  name: string;
  /** Addresses of the versions for the list and the large view. */
  src: string;
  fullSrc: string;
  /** Address of the picture's source or download. */
  link: { href: string; isDownload: boolean };
  /** The picture's own size, if known before it is loaded. */
  size: Size | null;
};

const control =
  "inline-flex size-10 pointer-coarse:size-11 items-center justify-center rounded-lg bg-black/55 text-white hover:bg-black/80 focus-visible:outline-2 focus-visible:outline-white";

/** Minimum length of a swipe, in CSS pixels; a shorter move is a press. */
const SWIPE = 48;

/**
 * Shows one of a message's pictures at the size of the window. Arrow keys and swipes lead to the others;
 * Escape and a press beside the picture close it.
 */
export function Lightbox({
  pictures,
  first,
  onClose,
}: {
  pictures: readonly ShownPicture[];
  first: number;
  onClose: () => void;
}) {
  const before = useRef<Element | null>(typeof document === "undefined" ? null : document.activeElement);
  const [index, setIndex] = useState(first);
  const touchedAt = useRef<number | null>(null);
  const picture = pictures[index];
  if (!picture) return null;
  const { name, link } = picture;
  const text = link.isDownload ? strings.picture.download : strings.picture.original;
  const Icon = link.isDownload ? Download : ExternalLink;

  const goBy = (step: number) => setIndex((current) => (current + step + pictures.length) % pictures.length);
  /** Swiping or pressing right leads forward, except in right-to-left languages. */
  const goTowards = (right: number) =>
    goBy(getComputedStyle(document.documentElement).direction === "rtl" ? -right : right);
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === "ArrowRight") goTowards(1);
    if (key === "ArrowLeft") goTowards(-1);
  };
  const onTouchStart = ({ touches }: TouchEvent) => {
    touchedAt.current = touches.length === 1 ? (touches[0]?.clientX ?? null) : null;
  };
  const onTouchEnd = ({ changedTouches }: TouchEvent) => {
    const moved = (changedTouches[0]?.clientX ?? 0) - (touchedAt.current ?? Number.NaN);
    if (Math.abs(moved) > SWIPE) goTowards(-Math.sign(moved));
    touchedAt.current = null;
  };

  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/85" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            if (!(before.current instanceof HTMLElement)) return;
            event.preventDefault();
            before.current.focus({ preventScroll: true });
          }}
          onClick={({ target, currentTarget }) => {
            if (target === currentTarget) onClose();
          }}
          {...(pictures.length > 1 && { onKeyDown, onTouchStart, onTouchEnd })}
          className="fixed inset-0 z-50 flex items-center justify-center p-3 pt-16 pb-12 outline-none sm:px-16"
        >
          <Dialog.Title className="sr-only">{strings.picture.label(name)}</Dialog.Title>
          <div className="absolute end-3 top-3 flex gap-2">
            <a
              href={link.href}
              {...(link.isDownload
                ? { download: name }
                : { target: "_blank", rel: "noopener noreferrer nofollow" })}
              aria-label={text}
              title={text}
              className={control}
            >
              <Icon aria-hidden size={20} />
            </a>
            <Dialog.Close
              aria-label={strings.picture.close}
              title={strings.picture.close}
              className={control}
            >
              <X aria-hidden size={20} />
            </Dialog.Close>
          </div>
          <LargePicture key={picture.fullSrc} picture={picture} />
          {pictures.length > 1 && (
            <>
              <button
                type="button"
                aria-label={strings.picture.previous}
                title={strings.picture.previous}
                onClick={() => goBy(-1)}
                className={clsx(control, "absolute start-3 top-1/2 -translate-y-1/2")}
              >
                <ChevronLeft aria-hidden size={24} className="rtl:-scale-x-100" />
              </button>
              <button
                type="button"
                aria-label={strings.picture.next}
                title={strings.picture.next}
                onClick={() => goBy(1)}
                className={clsx(control, "absolute end-3 top-1/2 -translate-y-1/2")}
              >
                <ChevronRight aria-hidden size={24} className="rtl:-scale-x-100" />
              </button>
            </>
          )}
          <p
            aria-live="polite"
            className="pointer-events-none absolute inset-x-4 bottom-3 flex justify-center gap-3 text-sm text-white empty:hidden"
          >
            {name !== "" && (
              <span dir="auto" className="truncate">
                {name}
              </span>
            )}
            {pictures.length > 1 && (
              <span className="shrink-0 tabular-nums">
                {strings.picture.place(index + 1, pictures.length)}
              </span>
            )}
          </p>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function LargePicture({ picture: { name, src, fullSrc } }: { picture: ShownPicture }) {
  const [shown, setShown] = useState(fullSrc);
  return (
    // biome-ignore lint/performance/noImgElement: the gateway serves it ready to show
    <img
      src={shown}
      alt={name}
      onError={() => setShown(src)}
      className="max-h-full max-w-full rounded-lg object-contain"
    />
  );
}
