import { inLanguages } from "../_ui/language.ts";

/** What is said wherever the gateway refuses or does not answer. */
export const problemTexts = {
  unavailable: {
    title: "This can't be shown just now",
    text: "The server could not answer. Nothing of yours is lost. Try again in a moment.",
  },
  problems: {
    forbidden: "You may not do that here. Ask whoever runs this channel.",
    not_found: "It is no longer there. Reload the page to see what is.",
    rate_limited: "Too many tries. Wait a little before the next one.",
    unauthorized: "You are signed out. Reload the page to sign in again.",
    name_reserved:
      "The chat keeps this name for itself: nobody can be written to under it. Check the spelling.",
    name_taken: "Somebody else has this name in the chat. Ask whoever runs it.",
    user_limit_reached: "The chat takes nobody new at present. Ask whoever runs it.",
    conflict: "Something changed here meanwhile, or this channel is archived. Reload the page to see.",
    image_host_unavailable: "The image host can't be reached. Try again in a moment.",
    translation_unavailable: "The translator can't be reached. Try again in a moment.",
    payload_too_large: "It is too large. Send it in parts.",
    backend_unreachable: "The chat server can't be reached. Try again in a moment.",
    backend_timeout: "The chat server did not answer in time. Try again in a moment.",
    offline: "The server can't be reached. Check the connection, then try again.",
    other: "That did not work. Try again in a moment.",
  } as Readonly<Record<string, string>> & { other: string },
  tryAgain: "Try again",
  requestId: (id: string) => `Number ${id}`,
  retryIn: (seconds: number) => `The server asks to wait ${seconds} s.`,
  failures: {
    rate_limited: {
      title: "Too many tries",
      text: "Wait a little before the next one.",
    },
    offline: {
      title: "You seem to be offline",
      text: "This page can't reach its server. Check the connection and try again.",
    },
  },
};

/** They alone, for whoever does not sign anybody in. */
export const strings = inLanguages("session", problemTexts);
