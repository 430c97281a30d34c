"use client";

import { Download, ExternalLink, X } from "lucide-react";
import { Dialog } from "radix-ui";
import { useRef, useState } from "react";
import { strings } from "./strings.en.ts";

/** In CSS pixels. */
export type Size = { width: number; height: number };

export type ShownPicture = {
  /** Its name for whoever does not see it; may be empty. */
  name: string;
  /** What the list shows, and the large view. */
  src: string;
  fullSrc: string;
  /** Where it comes from, or is downloaded. */
  link: { href: string; isDownload: boolean };
  /** Of the picture itself, where that is known before it is loaded. */
  size: Size | null;
};

const control =
  "inline-flex size-10 items-center justify-center rounded-lg bg-black/55 text-white hover:bg-black/80 focus-visible:outline-2 focus-visible:outline-white";

/** A picture as large as the window; Escape and a press beside it close it. */
export function Lightbox({ picture, onClose }: { picture: ShownPicture; onClose: () => void }) {
  const { name, src, fullSrc, link } = picture;
  const before = useRef<Element | null>(typeof document === "undefined" ? null : document.activeElement);
  const [shown, setShown] = useState(fullSrc);
  const text = link.isDownload ? strings.picture.download : strings.picture.original;
  const Icon = link.isDownload ? Download : ExternalLink;
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
          className="fixed inset-0 z-50 flex items-center justify-center p-3 pt-16 pb-12 outline-none sm:px-10"
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
          {/* biome-ignore lint/performance/noImgElement: the gateway gives it as it is to be shown */}
          <img
            src={shown}
            alt={name}
            onError={() => setShown(src)}
            className="max-h-full max-w-full rounded-lg object-contain"
          />
          {name !== "" && (
            <p
              dir="auto"
              aria-hidden
              className="pointer-events-none absolute inset-x-4 bottom-3 truncate text-center text-sm text-white"
            >
              {name}
            </p>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
