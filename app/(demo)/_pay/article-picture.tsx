"use client";

import { useState } from "react";

/** Paths that serve pictures from other servers, by their addresses. */
export type ArticlePictures = Readonly<Record<string, string>>;

type ArticlePictureProps = { address: string; name: string; pictures: ArticlePictures };

/** A picture of an article, or a link to it if this server does not show it. */
export function ArticlePicture({ address, name, pictures }: ArticlePictureProps) {
  const [isBroken, setIsBroken] = useState(false);
  const path = Object.hasOwn(pictures, address) ? pictures[address] : undefined;
  if (isBroken || !path?.startsWith("/api/demo/pictures?"))
    return (
      <a
        href={address}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="text-link underline underline-offset-2 hover:no-underline"
      >
        {name || address}
      </a>
    );
  return (
    // biome-ignore lint/performance/noImgElement: the gateway serves it ready to show
    <img
      src={path}
      alt={name}
      title={name || undefined}
      loading="lazy"
      decoding="async"
      onError={() => setIsBroken(true)}
      className="max-h-[80vh] max-w-full rounded-lg"
    />
  );
}
