import { inLanguages } from "./language.ts";

type Theme = "system" | "light" | "dark";

/** Every text that the shared pieces of the interface show. */
export const strings = inLanguages("ui", {
  theme: {
    label: (present: Theme, next: Theme) => `Theme: ${present}. Switch to ${next}`,
  },
  close: "Close",
  loading: "Loading",
  copy: "Copy",
  copied: "Copied",
  notLoaded: "This can't be loaded. Check your connection, then try again.",
  loadsLater: "This can't be loaded yet. Wait until the server can be reached.",
  offline: {
    title: "You are offline",
    text: "The server can't be reached from here. What you wrote and what you paid for is safe. Check your connection.",
    retry: "Try again",
    waits: "This page opens by itself once the server can be reached.",
  },
});
