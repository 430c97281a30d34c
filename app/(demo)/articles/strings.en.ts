import { inLanguages } from "../_ui/language.ts";

/** The texts of the shop. */
export const strings = inLanguages("articles", {
  title: "Articles",
  lead: "Each one costs what it says, once. No sign-up, no subscription: your wallet signs a transfer, and the page opens.",
  read: (title: string) => `Read “${title}”`,
  yours: "Yours",
  library: {
    title: "Your library",
    lead: "What you buy stays yours: on every device where the account that paid is signed in, and in this browser.",
  },
  closed: {
    title: "Nothing is for sale here",
    text: "The operator of this server has named no account to pay: PAYWALL_ACCOUNT is not set.",
  },
  others: "What else you can buy",
  back: "All articles",
  missing: "Article not found. It may have been taken down: choose another one.",
  locked: "The rest of this article is for readers who pay for it.",
  how: "Your wallet signs a transfer of exactly this price, and about three seconds later the article opens.",
});
