import { inLanguages } from "../_ui/language.ts";

/** The texts of the page of everything that was sold through this server. */
export const strings = inLanguages("offers", {
  title: "What you can buy",
  lead: "Pages and calls that were sold through this server in the last 30 days, each described by its seller. A program pays for any of them in the same way.",
  search: "Search",
  searchButton: "Search",
  all: "Show all",
  seller: (name: string) => `Paid to @${name}`,
  sold: (when: string) => `Last checked ${when}`,
  send: "Send",
  receive: "Receive",
  open: (name: string) => `Open “${name}”`,
  openShort: "Open",
  empty: {
    title: "Nothing has been sold here yet",
    text: "A page or a call appears once somebody has paid for it and its seller lists it. Buy an article, and it will be the first.",
    textWithoutShop: "A page or a call appears once somebody has paid for it and its seller lists it.",
    action: "See the articles",
  },
  none: {
    title: (words: string) => `Nothing found for “${words}”`,
    text: "Try fewer words, or look at everything.",
  },
  more: "There are more. Search for what you need.",
});
