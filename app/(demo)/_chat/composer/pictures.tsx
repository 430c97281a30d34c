"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ImagePlus } from "lucide-react";
import {
  type ClipboardEvent as PasteEvent,
  type RefObject,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Button } from "../../_ui/button.tsx";
import { failedNote } from "../../_ui/failed-note.tsx";
import { IconButton } from "../../_ui/icon-button.tsx";
import { loadPart } from "../../_ui/load-part.tsx";
import { toast } from "../../_ui/toast.tsx";
import { useChat } from "../chat-context.ts";
import { queryKeys } from "../data/cache.ts";
import type { Channel } from "../data/model.ts";
import { strings } from "../media/strings.en.ts";
import { PICTURE_TYPES, uploads, useIsWaiting, useUploads } from "../media/uploads.ts";
import { takeHeldFiles } from "./held-files.ts";

/**
 * Returns the files that an event brings, or null if it brings none. Before a drop their number is not known. Text that
 * is pasted together with a picture of it is treated as text.
 */
export function filesIn(event: ClipboardEvent | DragEvent): File[] | null {
  const isPaste = "clipboardData" in event;
  const data = isPaste ? event.clipboardData : event.dataTransfer;
  return data?.types.includes("Files") && !(isPaste && data.types.includes("text/plain"))
    ? [...data.files]
    : null;
}

/** Returns a function that uploads pictures for the message at `place`, and says which files it refuses. */
export function useAddPictures(place: string, channelId: string) {
  const { hostsPictures } = useChat();
  const cache = useQueryClient();
  return (files: readonly File[]) => {
    const channel = cache.getQueryData<Channel[]>(queryKeys.channels)?.find(({ id }) => id === channelId);
    const isHosted = hostsPictures && channel?.type === "O";
    const note = uploads.add(place, channelId, files, isHosted);
    if (note) toast.error(note);
  };
}

/**
 * The pictures of a message being written: chosen, pasted, or dropped onto its channel or thread. A message
 * that is sent before its pictures are uploaded waits. `onReady` is called once they are uploaded, even if
 * the composer is gone.
 */
export function usePictures(options: {
  place: string;
  channelId: string;
  /** Name of the channel or thread, for users who are elsewhere by the time a picture fails. */
  name: string;
  box: RefObject<HTMLElement | null>;
  onReady: () => void;
}) {
  const { place, box } = options;
  const pictures = useUploads(place);
  const isWaiting = useIsWaiting(place);
  const [isOver, setIsOver] = useState(false);

  const add = useAddPictures(place, options.channelId);
  const report = () => {
    if (!uploads.of(place).some(({ state }) => state === "failed")) options.onReady();
    else toast.error(box.current ? strings.upload.blocked : strings.upload.blockedIn(options.name));
  };
  const addFrom = useEffectEvent(add);
  // No effect event, because an event handler also hands it on.
  const latestReport = useRef(report);
  latestReport.current = report;

  useLayoutEffect(() => {
    const files = takeHeldFiles(place);
    if (files.length > 0) addFrom(files);
  }, [place]);

  // If the composer was reopened while its message waited for pictures, the message is sent from here.
  useEffect(() => {
    if (uploads.waiting.snapshot().has(place)) uploads.wait(place, () => latestReport.current());
  }, [place]);

  useEffect(() => {
    const host = box.current?.closest("section, [role=complementary], [role=dialog]");
    if (!(host instanceof HTMLElement)) return;
    const over = (event: DragEvent) => {
      if (!filesIn(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node) || !host.contains(event.relatedTarget)) setIsOver(false);
    };
    const drop = (event: DragEvent) => {
      const files = filesIn(event);
      if (!files) return;
      event.preventDefault();
      setIsOver(false);
      addFrom(files);
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
    /** Returns the current pictures, even after the composer is gone. */
    present: () => uploads.of(place),
    isWaiting,
    isOver,
    add,
    /**
     * Returns whether the message can be sent now. If not, it is sent once its pictures are uploaded, or the
     * user was told why it can't be sent.
     */
    mayGo(): boolean {
      const states = uploads.of(place).map(({ state }) => state);
      const hasFailed = states.includes("failed");
      const isSending = states.includes("sending");
      if (hasFailed) toast.error(strings.upload.blocked);
      else if (isSending) uploads.wait(place, () => latestReport.current());
      return !hasFailed && !isSending;
    },
    hold: () => uploads.hold(place),
    clear: () => uploads.clear(place),
    onPaste({ nativeEvent: event }: PasteEvent) {
      const files = filesIn(event);
      if (!files) return;
      event.preventDefault();
      add(files);
    },
  };
}

/** Opens the file chooser. */
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
          // Allows the same file to be chosen again.
          target.value = "";
        }}
      />
      <IconButton label={strings.upload.add} size="large" onClick={() => chooser.current?.click()}>
        <ImagePlus aria-hidden size={20} />
      </IconButton>
    </>
  );
}

const UploadTray = loadPart(
  () => import("../media/upload-tray.tsx").then((module) => module.UploadTray),
  failedNote,
);

/** The pictures of the message, above its text. */
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
