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
});
