import { inLanguages } from "../_ui/language.ts";
import { frameTexts } from "./frame-texts.en.ts";

/** Every text of the first page and of the frame around every page. */
export const strings = inLanguages("landing", {
  ...frameTexts,
  site: {
    description: "Communities talk under their Hive names, and pages cost cents, paid in three seconds.",
    picture: "A channel of the chat",
  },
  title: "Chat with your Hive name. Pay for a page, not a month.",
  lead: "Communities talk here under their Hive names, and pages cost cents, paid from the reader's own wallet in three seconds.",
  start: "Start chatting",
  readArticles: "See a page that sells itself",
  points: [
    {
      title: "For people who chat",
      texts: [
        "Your Hive account is the login: no e-mail, no password.",
        "Every community is a channel, moderated by its own moderators.",
        "Tip what you like: all of it arrives.",
      ],
    },
    {
      title: "For people who build",
      texts: [
        "Sell a page or a call in eight lines, without accounts or fees.",
        "Let a program pay within a budget that it can't exceed.",
        "Give your app chat through one typed client.",
      ],
    },
  ],
  quickstart: {
    command: "npm run quickstart",
    copy: "Copy the command",
    hint: "Run it all on your machine:",
  },
  code: {
    title: "Eight lines to sell, eight to buy",
    text: "A route that asks for its price, in the framework that you already use, and a program that pays it.",
    tabs: "Kind of program",
    copy: (file: string) => `Copy ${file}`,
  },
  steps: {
    title: "How a payment works",
    all: [
      {
        title: "Ask",
        text: "A browser or a program asks for a page. The answer is its price: 402, 0.050 HBD.",
      },
      {
        title: "Sign",
        text: "The reader's wallet signs a transfer of exactly that amount. The key never leaves it.",
      },
      { title: "Settle", text: "The transfer goes into the next block of Hive, about three seconds later." },
      {
        title: "Read",
        text: "The page opens. If the connection drops, the same payment opens it, and you never pay twice.",
      },
    ],
  },
  pictures: {
    title: "What it looks like",
    chat: "A channel with a thread beside it",
    article: "An article that was just paid for, with its receipt",
  },
  footer: {
    settings: "Settings",
    reference: "API reference",
    openapi: "OpenAPI document",
    source: "Source",
    sourceHere: "The source comes with the program that serves this page.",
    docs: "Docs",
    offers: "What you can buy",
    licence: (name: string) => `${name} licence`,
  },
  notFound: {
    title: "There is nothing at this address.",
    text: "The link may be old or incomplete.",
    home: "Go to the home page",
    chat: "Open the chat",
  },
});
