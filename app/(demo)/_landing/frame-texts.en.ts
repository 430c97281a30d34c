import { inLanguages } from "../_ui/language.ts";

/** The texts of the first page, and of the frame around every page, that a browser loads with its scripts. */
export const frameTexts = {
  signedIn: {
    label: "Your account",
    title: (name: string) => `Signed in as ${name}`,
    continue: (name: string) => `Continue as ${name}`,
    payments: "Your payments",
    other: "Use another account",
    still: (problem: string) => `You are still signed in. ${problem}`,
  },
  nav: { chat: "Chat", articles: "Articles", payments: "Payments", reference: "API" },
  broken: {
    title: "This page broke",
    text: "Something went wrong. What you wrote in the chat and what you paid for is safe. Try again; if it keeps happening, tell the people who run this server.",
    withNumber: (digest: string) => `Error ${digest}`,
    retry: "Try again",
    home: "Go to the home page",
  },
  home: "Hivegate, home page",
  skip: "Skip to content",
};

/**
 * Contains only these texts, because a script that imports all of the first page's texts would send them to
 * everyone.
 */
export const strings = inLanguages("landing", frameTexts);
