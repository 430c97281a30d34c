"use client";

import { clsx } from "clsx";
import { ImageOff } from "lucide-react";
import { type ReactNode, useCallback, useState } from "react";
import { loadClosable } from "../../_ui/load-closable.tsx";
import type { ShownPicture, Size } from "./lightbox.tsx";
import { strings } from "./strings.en.ts";

const Lightbox = loadClosable(() => import("./lightbox.tsx").then((module) => module.Lightbox));

const MOST: Size = { width: 400, height: 300 };
/** Maximum size of one picture among several. */
const SMALL: Size = { width: 240, height: 180 };
const LEAST = 48;

/** Returns the size at which a picture is shown in a list: its own, up to the list's limit. */
function roomOf(size: Size | null, most: Size): Size {
  if (!size || size.width < 1 || size.height < 1)
    return { width: most.width, height: Math.round(most.width * 0.6) };
  const scale = Math.min(1, most.width / size.width, most.height / size.height);
  const scaled = (length: number) => Math.max(LEAST, Math.round(length * scale));
  return { width: scaled(size.width), height: scaled(size.height) };
}

/** The picture that each button shows. */
const shownBy = new WeakMap<Element, ShownPicture>();

/**
 * Returns the pictures of the message that contains a button, in order, and the position of the button's
 * picture among them.
 */
function albumOf(opener: HTMLButtonElement) {
  const around = opener.closest("[data-post]")?.querySelectorAll("button") ?? [opener];
  const openers = [...around].filter((button) => shownBy.has(button));
  const pictures = openers.flatMap((button) => shownBy.get(button) ?? []);
  return { pictures, first: openers.indexOf(opener) };
}

type PictureProps = {
  picture: ShownPicture;
  isSmall?: boolean;
  /** Shown instead of a notice and a link if there is no picture. */
  instead?: ReactNode;
};

/**
 * A picture in a message. Its size is the same before, during and after loading, so that the list does not
 * move.
 */
export function Picture({ picture, isSmall = false, instead }: PictureProps) {
  const { name, src, size, link } = picture;
  const [state, setState] = useState<"loading" | "shown" | "broken">("loading");
  const [album, setAlbum] = useState<ReturnType<typeof albumOf> | null>(null);
  const keep = useCallback(
    (button: HTMLButtonElement | null) => {
      if (button) shownBy.set(button, picture);
    },
    [picture],
  );
  const room = roomOf(size, isSmall ? SMALL : MOST);
  const place = { width: room.width, aspectRatio: `${room.width} / ${room.height}` };
  if (state === "broken" && instead) return instead;
  if (state === "broken")
    return (
      <span
        style={place}
        className="my-1 flex max-w-full flex-col items-center justify-center gap-1 overflow-hidden rounded-lg border border-dashed border-line-strong bg-surface p-3 text-center text-sm text-ink-soft"
      >
        <ImageOff aria-hidden size={20} className="shrink-0" />
        <span>{strings.picture.broken}</span>
        <a
          href={link.href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="max-w-full truncate text-link underline underline-offset-2 hover:no-underline"
        >
          {name || strings.picture.original}
        </a>
      </span>
    );
  return (
    <>
      <button
        type="button"
        style={place}
        aria-label={strings.picture.enlarge(name)}
        ref={keep}
        onClick={({ currentTarget }) => setAlbum(albumOf(currentTarget))}
        className={clsx(
          "my-1 block max-w-full cursor-zoom-in overflow-hidden rounded-lg",
          state === "loading" && "animate-pulse bg-sunken motion-reduce:animate-none",
        )}
      >
        {/* biome-ignore lint/performance/noImgElement: the gateway serves the picture ready to show */}
        <img
          src={src}
          alt={name}
          title={name || undefined}
          loading="lazy"
          decoding="async"
          draggable={false}
          onLoad={() => setState("shown")}
          onError={() => setState("broken")}
          className={clsx(
            "size-full",
            size ? "rounded-lg object-scale-down object-left-top" : "object-scale-down object-left",
            state === "loading" && "opacity-0",
          )}
        />
      </button>
      {album && <Lightbox {...album} onClose={() => setAlbum(null)} />}
    </>
  );
}
