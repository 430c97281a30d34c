import { inLanguages } from "../_ui/language.ts";

const count = new Intl.NumberFormat("en");

/** Every text of the network inspector. */
export const strings = inLanguages("wire", {
  title: "Network inspector",
  text: "The HTTP calls and websocket frames of this tab, as they happen. Cookies and tokens are never written down.",
  noAnswer: "no answer",
  signed: "signed",
  kind: "Show",
  kinds: { all: "All", http: "HTTP", frames: "Frames" },
  filter: "Filter by text",
  pause: "Pause",
  resume: "Resume",
  clear: "Clear",
  paused: "Paused. The record goes on unseen.",
  resumed: "Showing what happens again.",
  cleared: "The record is empty.",
  empty: "Nothing yet: calls and frames appear here as they happen.",
  noMatch: "Nothing matches the filter. Try another word, or show all.",
  list: "Calls and frames, newest last",
  shown: (shown: number, all: number) => `${count.format(shown)} of ${count.format(all)}`,
  waiting: (more: number) => `${count.format(more)} new since the pause`,
  received: "received",
  sent: "sent",
  seq: (seq: number) => `seq ${seq}`,
  size: (bytes: number) => `${count.format(bytes)} B`,
  newest: "Go to the newest",
});
