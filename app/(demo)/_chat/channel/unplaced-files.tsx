"use client";

import { useEffect, useEffectEvent } from "react";
import { toast } from "../../_ui/toast.tsx";
import { useChat } from "../chat-context.ts";
import { isTyping } from "../composer/focus-composer.ts";
import { takeHeldFiles } from "../composer/held-files.ts";
import { filesIn, useAddPictures } from "../composer/pictures.tsx";
import { strings as media } from "../media/strings.en.ts";
import { UploadTray } from "../media/upload-tray.tsx";
import { listOf, uploads, useUploads } from "../media/uploads.ts";
import { strings } from "../strings.en.ts";

/**
 * Receives files that are pasted or dropped into a channel without a composer, or were before: says why they are not
 * sent or, without a `refusal`, adds them to the message and shows them.
 */
export function UnplacedFiles({ channelId, refusal }: { channelId: string; refusal: string | null }) {
  const { me } = useChat();
  const place = `${me.username}.${channelId}.`;
  const pictures = useUploads(place);
  const add = useAddPictures(place, channelId);
  const refuse = (names: readonly string[]) => {
    if (names.length > 0) toast.error(media.upload.failed(listOf(names), refusal ?? ""));
  };
  const receive = useEffectEvent((files: readonly File[]) =>
    refusal === null ? add(files) : refuse(files.map(({ name }) => name)),
  );
  const stopUploads = useEffectEvent(() => {
    const unfinished = uploads.of(place).filter(({ state }) => state !== "done");
    // A message that waits for them must not be sent without them.
    if (unfinished.length > 0) uploads.hold(place);
    for (const { key } of unfinished) uploads.remove(key);
    refuse(unfinished.map(({ name }) => name));
  });
  const isRefused = refusal !== null;
  useEffect(() => {
    receive(takeHeldFiles(place));
    if (isRefused) stopUploads();
  }, [place, isRefused]);
  useEffect(() => {
    const take = (event: ClipboardEvent | DragEvent) => {
      const files = filesIn(event);
      if (!files || (event.type === "paste" && isTyping(event.target))) return;
      event.preventDefault();
      if (event.type !== "dragover") receive(files);
    };
    const ended = new AbortController();
    for (const type of ["paste", "dragover", "drop"] as const)
      window.addEventListener(type, take, { signal: ended.signal });
    return () => ended.abort();
  }, []);
  if (isRefused || pictures.length === 0) return null;
  return (
    <div className="mt-4 text-sm">
      <p>{strings.channel.standing.draft}</p>
      <UploadTray channelId={channelId} pictures={pictures} />
    </div>
  );
}
