import type { Panel } from "../chat-context.ts";
import { isTyping } from "../composer/focus-composer.ts";
import { isUnread } from "../data/channels.ts";
import type { Channel } from "../data/model.ts";

export type OpenPanel = (panel: Panel | ((panel: Panel) => Panel)) => void;

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

/** Listens for the keys that work everywhere in the chat until the returned function is called. */
export function followShortcuts({
  open,
  goTo,
  channels,
}: {
  open: OpenPanel;
  goTo: (channelId: string) => void;
  /** The channels in the order of the list. */
  channels: () => readonly Channel[];
}): () => void {
  const onKey = (event: KeyboardEvent) => {
    // Half of the keys that ask for the finder, and the other half is to find it there.
    if (event.key === "Control" || event.key === "Meta")
      import("../search/finder.tsx").catch(() => undefined);
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open((panel) => (panel === "finder" || panel === "browse" ? null : "finder"));
    } else if (isCommand && event.shiftKey && event.key.toLowerCase() === "f") {
      event.preventDefault();
      open("search");
    } else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      const next = neighbour(channels(), event.key === "ArrowDown" ? 1 : -1, event.shiftKey);
      if (next) goTo(next.id);
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
}
