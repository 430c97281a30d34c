"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ImagePlus } from "lucide-react";
import { type ClipboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "../../_ui/button.tsx";
import { IconButton } from "../../_ui/icon-button.tsx";
import { loadPart } from "../../_ui/loading.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat } from "../chat-context.ts";
import { queryKeys } from "../data/cache.ts";
import type { Channel } from "../data/model.ts";
import { strings } from "../media/strings.en.ts";
import { PICTURE_TYPES, uploads, useUploads } from "../media/uploads.ts";

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/**
 * The pictures of the message that is written in a place: chosen, pasted, or dropped onto its channel or thread. A message
 * that is sent before they are there waits: `onReady` is called when they are.
 */
export function usePictures(options: {
  place: string;
  channelId: string;
  box: RefObject<HTMLElement | null>;
  onReady: () => void;
}) {
  const { place, channelId, box } = options;
  const pictures = useUploads(place);
  const { hostsPictures } = useChat();
  const cache = useQueryClient();
  const [isWaiting, setIsWaiting] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const isSending = pictures.some(({ state }) => state === "sending");
  const hasFailed = pictures.some(({ state }) => state === "failed");

  const add = (files: readonly File[]) => {
    const channel = cache.getQueryData<Channel[]>(queryKeys.channels)?.find(({ id }) => id === channelId);
    const isHosted = hostsPictures && channel?.type === "O";
    for (const problem of uploads.add(place, channelId, files, isHosted)) toast.error(problem);
  };
  const latest = useRef({ add, onReady: options.onReady });
  latest.current = { add, onReady: options.onReady };

  useEffect(() => {
    if (!isWaiting || isSending) return;
    setIsWaiting(false);
    if (hasFailed) toast.error(strings.upload.blocked);
    else latest.current.onReady();
  }, [isWaiting, isSending, hasFailed]);

  useEffect(() => {
    const host = box.current?.closest("section, [role=complementary], [role=dialog]");
    if (!(host instanceof HTMLElement)) return;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node) || !host.contains(event.relatedTarget)) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(false);
      latest.current.add([...(event.dataTransfer?.files ?? [])]);
    };
    host.addEventListener("dragover", over);
    host.addEventListener("dragleave", leave);
    host.addEventListener("drop", drop);
    return () => {
      host.removeEventListener("dragover", over);
      host.removeEventListener("dragleave", leave);
      host.removeEventListener("drop", drop);
    };
  }, [box]);

  return {
    pictures,
    isWaiting,
    isOver,
    add,
    /** Whether the message may go now; otherwise it goes later, or what is in the way was said. */
    mayGo(): boolean {
      if (hasFailed) toast.error(strings.upload.blocked);
      else if (isSending) setIsWaiting(true);
      return !hasFailed && !isSending;
    },
    hold: () => setIsWaiting(false),
    clear: () => uploads.clear(place),
    /** A text that brings a picture of itself along is a text. */
    onPaste(event: ClipboardEvent) {
      const files = [...event.clipboardData.files];
      if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
      event.preventDefault();
      add(files);
    },
  };
}

/** Opens the window in which files are chosen. */
export function PictureButton({ onAdd }: { onAdd: (files: readonly File[]) => void }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={chooser}
        type="file"
        accept={PICTURE_TYPES.join(",")}
        multiple
        hidden
        onChange={({ target }) => {
          onAdd([...(target.files ?? [])]);
          // The same file may be chosen again.
          target.value = "";
        }}
      />
      <IconButton label={strings.upload.add} size="large" onClick={() => chooser.current?.click()}>
        <ImagePlus aria-hidden size={20} />
      </IconButton>
    </>
  );
}

const UploadTray = loadPart(() => import("../media/upload-tray.tsx").then((module) => module.UploadTray));

/** The pictures over the text that goes with them. */
export function PictureParts({
  media: { pictures, isOver, isWaiting, hold },
  channelId,
}: {
  media: ReturnType<typeof usePictures>;
  channelId: string;
}) {
  return (
    <>
      {isOver && (
        <p className="pointer-events-none absolute inset-0 z-10 flex items-center justify-center rounded-xl border-2 border-dashed border-ring bg-raised text-sm font-medium">
          {strings.upload.drop}
        </p>
      )}
      {pictures.length > 0 && <UploadTray channelId={channelId} pictures={pictures} />}
      {isWaiting && (
        <p role="status" className="flex flex-wrap items-center gap-2 px-2.5 text-sm text-ink-soft">
          {strings.upload.waiting}
          <Button size="small" tone="plain" onClick={hold}>
            {strings.upload.hold}
          </Button>
        </p>
      )}
    </>
  );
}
