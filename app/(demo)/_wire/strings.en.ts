import { inLanguages } from "../_ui/language.ts";

const count = new Intl.NumberFormat("en");

/** Every text of the network inspector. */
export const strings = inLanguages("wire", {
  title: "Network inspector",
  text: "What this tab sends and receives, as it happens. Cookies and keys that would let others in are never recorded.",
  noAnswer: "no answer",
  signed: "signed",
  kind: "Show",
  kinds: { all: "All", http: "Calls", frames: "Live" },
  filter: "Filter by text",
  pause: "Pause",
  resume: "Resume",
  clear: "Clear",
  paused: "Paused. What happens is still recorded.",
  resumed: "Showing what happens again.",
  cleared: "The record is empty.",
  empty: "Nothing yet: what is sent and received appears here as it happens.",
  noMatch: "Nothing matches the filter. Try another word, or show all.",
  list: "Sent and received, newest last",
  shown: (shown: number, all: number) => `${count.format(shown)} of ${count.format(all)}`,
  waiting: (more: number) => `${count.format(more)} new since the pause`,
  received: "received",
  sent: "sent",
  seq: (seq: number) => `no. ${count.format(seq)}`,
  size: (bytes: number) => `${count.format(bytes)} B`,
  newest: "Go to the newest",
});
