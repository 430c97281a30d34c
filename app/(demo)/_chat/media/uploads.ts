"use client";

import { useMemo, useSyncExternalStore } from "react";
import type { File as SentFile } from "#lib/chat-client/index.ts";
import { onLeaving } from "../../_session/person.ts";
import { createExternalStore } from "../../_ui/external-store.ts";
import { chatClient } from "../data/chat-client.ts";
import { strings } from "./strings.en.ts";

/** The types that the gateway accepts. */
export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
const LARGEST_BYTES = 10 * 1024 * 1024;
const MOST = 10;

/** A picture that is being or was uploaded for an unsent message. */
export type Upload = {
  key: string;
  place: string;
  file: Blob;
  /** Name of the picture, without the extension. */
  name: string;
  ending: string;
  /** An object URL that shows the picture on this page. */
  preview: string;
  state: "sending" | "done" | "failed";
  /** The uploaded fraction, from 0 to 1. */
  part: number;
  /** The reason why the upload failed. */
  error: unknown;
  sent: SentFile | null;
  /** True if the picture goes to the operator's image host and the text contains its address there. */
  isHosted: boolean;
  address: string | null;
};

type Send = (
  file: Blob,
  options: { name: string; signal: AbortSignal; onProgress: (part: number) => void },
) => Promise<Partial<Pick<Upload, "sent" | "address">>>;

/**
 * Pictures waiting for their message, by the place where it is written, and messages waiting for their
 * pictures. They outlive the composer, so that the user can view another channel meanwhile. `send` uploads a
 * picture to a channel or to the image host.
 */
function createUploads(send: (channelId: string, isHosted: boolean) => Send) {
  const { snapshot, subscribe, publish: show } = createExternalStore<readonly Upload[]>([]);
  const waiting = createExternalStore<ReadonlyMap<string, () => void>>(new Map());
  const running = new Map<string, AbortController>();
  let made = 0;

  const of = (place: string) => snapshot().filter((upload) => upload.place === place);
  const hold = (place: string) =>
    waiting.publish(new Map([...waiting.snapshot()].filter(([waits]) => waits !== place)));
  const publish = (next: readonly Upload[]) => {
    show(next);
    for (const [place, act] of waiting.snapshot()) {
      if (of(place).some(({ state }) => state === "sending")) continue;
      hold(place);
      act();
    }
  };
  const change = (key: string, changed: Partial<Upload>) =>
    publish(snapshot().map((upload) => (upload.key === key ? { ...upload, ...changed } : upload)));

  const start = async (key: string, channelId: string) => {
    const upload = snapshot().find((each) => each.key === key);
    if (!upload) return;
    running.get(key)?.abort();
    const controller = new AbortController();
    running.set(key, controller);
    const isCurrent = () => running.get(key) === controller;
    change(key, { state: "sending", part: 0, error: null, sent: null, address: null });
    try {
      const done = await send(channelId, upload.isHosted)(upload.file, {
        name: `${upload.name}.${upload.ending}`,
        signal: controller.signal,
        onProgress: (part) => {
          if (isCurrent()) change(key, { part });
        },
      });
      if (isCurrent()) change(key, { state: "done", part: 1, ...done });
    } catch (error) {
      if (isCurrent() && !controller.signal.aborted) change(key, { state: "failed", error });
    }
  };

  const forget = (keys: readonly string[]) => {
    for (const key of keys) {
      running.get(key)?.abort();
      running.delete(key);
    }
    const [gone, left] = [true, false].map((isGone) =>
      snapshot().filter(({ key }) => keys.includes(key) === isGone),
    );
    for (const { preview } of gone ?? []) URL.revokeObjectURL(preview);
    publish(left ?? []);
  };

  return {
    subscribe,
    snapshot,
    of,
    waiting,
    /** Calls `act` once all pictures at `place` are uploaded or have failed; replaces an earlier `act`. */
    wait: (place: string, act: () => void) => waiting.publish(new Map(waiting.snapshot()).set(place, act)),
    /** Prevents a place's waiting message from being sent automatically. */
    hold,
    /** Starts uploading pictures, and returns a note about those that are rejected, or an empty text. */
    add(place: string, channelId: string, files: readonly Blob[], isHosted: boolean): string {
      const rejected = { wrongType: [] as string[], tooLarge: [] as string[] };
      const notes: string[] = [];
      for (const file of files) {
        const given = (file as { name?: string }).name ?? "";
        const shown = given || strings.upload.untitled;
        if (!PICTURE_TYPES.includes(file.type)) rejected.wrongType.push(shown);
        else if (file.size > LARGEST_BYTES) rejected.tooLarge.push(shown);
        else if (of(place).length >= MOST) {
          notes.push(strings.upload.tooMany);
          break;
        } else {
          made += 1;
          const key = `upload-${made}`;
          const ending = /\.(\w+)$/.exec(given)?.[1] ?? file.type.replace("image/", "");
          // The browser gives all pasted pictures the same name.
          const name = /^image\.png$/.test(given) ? "" : given.replace(/\.\w+$/, "");
          const upload = {
            ...{ key, place, file, ending, name: name || strings.upload.untitled },
            ...{ preview: URL.createObjectURL(file), part: 0, error: null, sent: null },
            ...{ isHosted, address: null },
          };
          publish([...snapshot(), { ...upload, state: "sending" }]);
          void start(key, channelId);
        }
      }
      for (const kind of ["tooLarge", "wrongType"] as const)
        if (rejected[kind].length > 0) notes.unshift(strings.upload[kind](listOf(rejected[kind])));
      return notes.join(" ");
    },
    retry: (key: string, channelId: string) => void start(key, channelId),
    /** Uploads the picture again under a new name, because the server stores the name with the upload. */
    rename(key: string, channelId: string, name: string) {
      const upload = snapshot().find((each) => each.key === key);
      const next = name.trim();
      if (!upload || next === "" || next === upload.name) return;
      change(key, { name: next });
      void start(key, channelId);
    },
    remove: (key: string) => forget([key]),
    clear: (place: string) => forget(of(place).map(({ key }) => key)),
    /** Drops all pictures, and the messages waiting for them. */
    drop() {
      waiting.publish(new Map());
      forget(snapshot().map(({ key }) => key));
    },
  };
}

const NAMED = 3;

/** Returns the first names, and the number of the others. */
export const listOf = (names: readonly string[]) =>
  [...names.slice(0, NAMED), ...(names.length > NAMED ? [`+${names.length - NAMED}`] : [])].join(", ");

/** The uploads of this tab. */
export const uploads = createUploads((channelId, isHosted) => async (file, options) => {
  if (!isHosted) return { sent: await chatClient.files.upload(channelId, file, options) };
  return { address: (await chatClient.pictures.upload(channelId, file, options)).url };
});

onLeaving(uploads.drop);

/** Appends the hosted pictures to a text. */
export function withHosted(text: string, pictures: readonly Pick<Upload, "name" | "address">[]): string {
  const hosted = pictures.flatMap(({ name, address }) => {
    if (address === null) return [];
    const target = address.replaceAll("(", "%28").replaceAll(")", "%29");
    return `![${name.replace(/[\\[\]]/g, "\\$&")}](${target})`;
  });
  return [text, ...hosted].filter((part) => part.trim() !== "").join("\n");
}

/** Returns the pictures of the message written at `place`. */
export function useUploads(place: string): readonly Upload[] {
  const all = useSyncExternalStore(uploads.subscribe, uploads.snapshot, uploads.snapshot);
  return useMemo(() => all.filter((upload) => upload.place === place), [all, place]);
}

/** Returns whether the message written at `place` is waiting for its pictures. */
export function useIsWaiting(place: string): boolean {
  const { subscribe, snapshot } = uploads.waiting;
  return useSyncExternalStore(
    subscribe,
    () => snapshot().has(place),
    () => false,
  );
}
