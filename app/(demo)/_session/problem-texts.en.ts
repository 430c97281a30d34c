import { inLanguages } from "../_ui/language.ts";

/** Messages for when the gateway refuses or does not answer. */
export const problemTexts = {
  unavailable: {
    title: "This can't be shown right now",
    text: "The server could not answer. Nothing is lost. Try again in a moment.",
  },
  problems: {
    forbidden: "You can't do that here. Ask whoever runs this channel.",
    not_found: "It is no longer there. Reload the page to see what is.",
    rate_limited: "Too many attempts. Wait a moment, then try again.",
    unauthorized: "You are signed out. Reload the page to sign in again.",
    name_reserved:
      "This name is reserved by the chat, so nobody can be reached under it. Check the spelling.",
    name_taken: "Somebody else has this name in the chat. Ask whoever runs it.",
    user_limit_reached: "The chat is not taking new people right now. Ask whoever runs it.",
    conflict:
      "Something changed here in the meantime, or this channel is archived. Reload the page to see what is new.",
    image_host_unavailable: "The image host can't be reached. Try again in a moment.",
    translation_unavailable: "The translator can't be reached. Try again in a moment.",
    payload_too_large: "It is too large. Send it in parts.",
    backend_unreachable: "The chat server can't be reached. Try again in a moment.",
    backend_timeout: "The chat server did not answer in time. Try again in a moment.",
    offline: "The server can't be reached. Check your connection, then try again.",
    other: "That did not work. Try again in a moment.",
  } as Readonly<Record<string, string>> & { other: string },
  tryAgain: "Try again",
  requestId: (id: string) => `Number ${id}`,
  retryIn: (seconds: number) => `The server asks you to wait ${seconds} s.`,
  failures: {
    rate_limited: {
      title: "Too many attempts",
      text: "Wait a moment, then try again.",
    },
    offline: {
      title: "You seem to be offline",
      text: "This page can't reach its server. Check your connection and try again.",
    },
  },
};

/** The only texts that pages without a sign-in need. */
export const strings = inLanguages("session", problemTexts);
