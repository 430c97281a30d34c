"use client";

import { Download, FileText } from "lucide-react";
import type { ReactNode } from "react";
import type { File } from "#lib/chat-client/index.ts";
import { useChat } from "../chat-context.ts";
import { chatClient } from "../data/chat-client.ts";
import type { ShownPicture } from "./lightbox.tsx";
import { Picture } from "./picture.tsx";
import { strings } from "./strings.en.ts";
import { PICTURE_TYPES } from "./uploads.ts";

const isPicture = ({ mimeType }: File) => PICTURE_TYPES.includes(mimeType ?? "");

/** Returns the picture to show for a file: the file itself if it is animated or has no preview. */
function pictureOf({ id, name, width, height, hasPreviewImage }: File): ShownPicture {
  const { url } = chatClient.files;
  return {
    name,
    src: url(id, hasPreviewImage ? { size: "preview" } : {}),
    fullSrc: url(id),
    link: { href: url(id, { download: true }), isDownload: true },
    size: width && height ? { width, height } : null,
  };
}

/** Files of a message: pictures are shown, others are rows to download. */
export function Files({ files }: { files: readonly File[] }) {
  const pictures = files.filter(isPicture);
  const others = files.filter((file) => !isPicture(file));
  return (
    <>
      {pictures.length > 0 && (
        <div className="flex flex-wrap items-start gap-x-2">
          {pictures.map((file) => (
            <Picture key={file.id} picture={pictureOf(file)} isSmall={pictures.length > 1} />
          ))}
        </div>
      )}
      {others.map((file) => (
        <a
          key={file.id}
          href={chatClient.files.url(file.id, { download: true })}
          download={file.name}
          aria-label={strings.file.download(file.name)}
          className="my-1 flex max-w-sm items-center gap-3 rounded-lg border border-line bg-surface px-3 py-2 hover:border-line-strong"
        >
          <FileText aria-hidden size={24} className="shrink-0 text-ink-soft" />
          <span className="min-w-0 grow">
            <span dir="auto" className="block truncate text-sm font-medium">
              {file.name}
            </span>
            <span className="block text-xs text-ink-soft">
              {strings.file.kind(file.extension ?? "")} · {strings.file.size(file.size)}
            </span>
          </span>
          <Download aria-hidden size={18} className="shrink-0 text-ink-soft" />
        </a>
      ))}
    </>
  );
}

type Fields = Readonly<Record<string, unknown>>;

const MOST_CARDS = 10;
const MOST_FIELDS = 30;
const named: Readonly<Record<string, string>> = {
  good: "var(--good)",
  warning: "var(--warn)",
  danger: "var(--danger)",
};

const textIn = (fields: Fields, name: string) => {
  const value = fields[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
};
const recordsIn = (value: unknown): Fields[] =>
  Array.isArray(value)
    ? value.filter((item): item is Fields => typeof item === "object" && item !== null)
    : [];
const webAddress = (text: string) => (/^https?:\/\//i.test(text) && URL.canParse(text) ? text : null);

function Linked({ href, children }: { href: string; children: string }) {
  if (!webAddress(href)) return children;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" className="text-link hover:underline">
      {children}
    </a>
  );
}

/** Cards that programs attach to their messages (`props.attachments`). `renderText` shows text as in messages. */
export function MessageAttachments({
  attachments,
  renderText,
}: {
  attachments: unknown;
  renderText: (text: string) => ReactNode;
}) {
  return recordsIn(attachments)
    .slice(0, MOST_CARDS)
    .map((card, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the cards of a message have no other name and never move
      <Card key={index} card={card} renderText={renderText} />
    ));
}

function Card({ card, renderText }: { card: Fields; renderText: (text: string) => ReactNode }) {
  const colour = textIn(card, "color");
  const [pretext, title, text] = ["pretext", "title", "text"].map((name) => textIn(card, name));
  const [author, footer, image] = ["author_name", "footer", "image_url"].map((name) => textIn(card, name));
  const fields = recordsIn(card.fields).slice(0, MOST_FIELDS);
  const address = webAddress(image ?? "");
  const isEmpty = !author && !title && !text && !footer && !address && fields.length === 0;
  return (
    <div className="my-1 text-md">
      {pretext && <div dir="auto">{renderText(pretext)}</div>}
      {isEmpty ? (
        !pretext && <p dir="auto">{textIn(card, "fallback")}</p>
      ) : (
        <div
          className="mt-1 max-w-xl rounded-lg border border-s-4 border-line bg-surface px-3 py-2"
          style={{
            borderInlineStartColor: named[colour] ?? (/^#[\da-f]{3,8}$/i.test(colour) ? colour : undefined),
          }}
        >
          {author && (
            <p dir="auto" className="truncate text-sm text-ink-soft">
              <Linked href={textIn(card, "author_link")}>{author}</Linked>
            </p>
          )}
          {title && (
            <p dir="auto" className="font-semibold">
              <Linked href={textIn(card, "title_link")}>{title}</Linked>
            </p>
          )}
          {text && <div dir="auto">{renderText(text)}</div>}
          {fields.length > 0 && (
            <dl className="mt-1 grid gap-x-4 gap-y-1 text-sm sm:grid-cols-2">
              {fields.map((field, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: fields may have the same name
                <div key={index} className={field.short === true ? undefined : "sm:col-span-2"}>
                  <dt className="font-medium">{textIn(field, "title")}</dt>
                  <dd dir="auto" className="text-ink-soft">
                    {renderText(textIn(field, "value"))}
                  </dd>
                </div>
              ))}
            </dl>
          )}
          {address && <OutsidePicture address={address} name={title || ""} />}
          {footer && (
            <p dir="auto" className="mt-1 truncate text-xs text-ink-soft">
              {footer}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

function OutsidePicture({ address, name }: { address: string; name: string }) {
  const { showsOutside } = useChat();
  if (!showsOutside) return <Linked href={address}>{name || address}</Linked>;
  const src = chatClient.pictures.url(address);
  return (
    <Picture picture={{ name, src, fullSrc: src, link: { href: address, isDownload: false }, size: null }} />
  );
}
