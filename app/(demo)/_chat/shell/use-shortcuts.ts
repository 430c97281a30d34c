"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef } from "react";
import { isTyping } from "../composer/focus-composer.ts";
import { isUnread } from "../data/channels.ts";
import type { Channel } from "../data/model.ts";
import { useSections } from "../data/use-channels.ts";
import type { Panel } from "../panel-context.ts";

/** The channel `step` places away from the one in the address, round the ends. */
function neighbour(channels: readonly Channel[], step: 1 | -1, onlyUnread: boolean): Channel | undefined {
  const presentId = window.location.pathname.split("/").at(-1);
  const present = channels.findIndex(({ id }) => id === presentId);
  for (let distance = 1; distance <= channels.length; distance++) {
    const index = (present + step * distance + channels.length * 2) % channels.length;
    const channel = channels[index];
    if (channel && (!onlyUnread || isUnread(channel))) return channel;
  }
  return undefined;
}

/** The keys that work everywhere in the chat. */
export function useShortcuts(open: (panel: Panel | ((panel: Panel) => Panel)) => void) {
  const router = useRouter();
  const sections = useSections();
  const channels = useRef<readonly Channel[]>([]);
  channels.current = sections.flatMap((section) => section.channels);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isCommand = event.ctrlKey || event.metaKey;
      if (isCommand && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open((panel) => (panel === "finder" ? null : "finder"));
      } else if (isCommand && event.shiftKey && event.key.toLowerCase() === "f") {
        event.preventDefault();
        open("search");
      } else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
        event.preventDefault();
        const next = neighbour(channels.current, event.key === "ArrowDown" ? 1 : -1, event.shiftKey);
        if (next) router.push(`/chat/${next.id}`);
      } else if (event.altKey && event.shiftKey && !isCommand && event.code === "KeyL") {
        event.preventDefault();
        open((panel) => (panel === "wire" ? null : "wire"));
      } else if (isCommand ? event.key === "/" : event.key === "?" && !isTyping(event.target)) {
        event.preventDefault();
        open("help");
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [open, router]);
}
