"use client";

import { useMemo, useSyncExternalStore } from "react";
import type { File as SentFile } from "#lib/chat-client/index.ts";
import { onLeaving } from "../../_session/gateway.ts";
import { createExternalStore } from "../../_ui/external-store.ts";
import { chatClient } from "../data/chat-client.ts";
import { strings } from "./strings.en.ts";

/** What the gateway takes. */
export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
const LARGEST_BYTES = 10 * 1024 * 1024;
const MOST = 10;

/** A picture on its way to the server, or there, for a message that is not sent yet. */
export type Upload = {
  key: string;
  place: string;
  file: Blob;
  /** Without the ending. */
  name: string;
  ending: string;
  /** An address that shows it in this page. */
  preview: string;
  state: "sending" | "done" | "failed";
  /** How much of it is sent, from 0 to 1. */
  part: number;
  /** Why it failed. */
  error: unknown;
  sent: SentFile | null;
  /** It goes to the operator's image host, and is a part of the text then, by its address there. */
  isHosted: boolean;
  address: string | null;
};

type Send = (
  file: Blob,
  options: { name: string; signal: AbortSignal; onProgress: (part: number) => void },
) => Promise<Partial<Pick<Upload, "sent" | "address">>>;

/**
 * Pictures that wait for their message, by the place that it is written in, and messages that wait for their pictures. They
 * outlive the composer, so that another channel can be looked at meanwhile. `send` is what sends one to a channel, or to the
 * image host.
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
    /** Has `act` called once no picture of a place is on its way any more; it takes the place of another one. */
    wait: (place: string, act: () => void) => waiting.publish(new Map(waiting.snapshot()).set(place, act)),
    /** What waits in a place is not sent by itself any more. */
    hold,
    /** Begins to send pictures; gives what is wrong with those that are not taken. */
    add(place: string, channelId: string, files: readonly Blob[], isHosted: boolean): string[] {
      const problems: string[] = [];
      for (const file of files) {
        const given = (file as { name?: string }).name ?? "";
        const shown = given || strings.upload.untitled;
        if (!PICTURE_TYPES.includes(file.type)) problems.push(strings.upload.wrongType(shown));
        else if (file.size > LARGEST_BYTES) problems.push(strings.upload.tooLarge(shown));
        else if (of(place).length >= MOST) {
          problems.push(strings.upload.tooMany);
          break;
        } else {
          made += 1;
          const key = `upload-${made}`;
          const ending = /\.(\w+)$/.exec(given)?.[1] ?? file.type.replace("image/", "");
          // What is pasted has the name that the browser gives to all of them.
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
      return problems;
    },
    retry: (key: string, channelId: string) => void start(key, channelId),
    /** A name is the server's once the picture is there, so that another name sends it again. */
    rename(key: string, channelId: string, name: string) {
      const upload = snapshot().find((each) => each.key === key);
      const next = name.trim();
      if (!upload || next === "" || next === upload.name) return;
      change(key, { name: next });
      void start(key, channelId);
    },
    remove: (key: string) => forget([key]),
    clear: (place: string) => forget(of(place).map(({ key }) => key)),
    /** Gives all up, and the messages that wait for it. */
    drop() {
      waiting.publish(new Map());
      forget(snapshot().map(({ key }) => key));
    },
  };
}

/** Those of this tab. */
export const uploads = createUploads((channelId, isHosted) => async (file, options) => {
  if (!isHosted) return { sent: await chatClient.files.upload(channelId, file, options) };
  return { address: (await chatClient.pictures.upload(channelId, file, options)).url };
});

onLeaving(uploads.drop);

/** A text with those pictures behind it that have an address. */
export function withHosted(text: string, pictures: readonly Pick<Upload, "name" | "address">[]): string {
  const hosted = pictures.flatMap(({ name, address }) => {
    if (address === null) return [];
    const target = address.replaceAll("(", "%28").replaceAll(")", "%29");
    return `![${name.replace(/[\\[\]]/g, "\\$&")}](${target})`;
  });
  return [text, ...hosted].filter((part) => part.trim() !== "").join("\n");
}

/** The pictures that wait for the message of a place. */
export function useUploads(place: string): readonly Upload[] {
  const all = useSyncExternalStore(uploads.subscribe, uploads.snapshot, uploads.snapshot);
  return useMemo(() => all.filter((upload) => upload.place === place), [all, place]);
}

/** Whether the message of a place waits for its pictures. */
export function useIsWaiting(place: string): boolean {
  const { subscribe, snapshot } = uploads.waiting;
  return useSyncExternalStore(
    subscribe,
    () => snapshot().has(place),
    () => false,
  );
}
