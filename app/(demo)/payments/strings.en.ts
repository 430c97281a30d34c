import { inLanguages } from "../_ui/language.ts";

/** The texts of the page about paid and earned amounts. */
export const strings = inLanguages("payments", {
  title: "Payments",
  lead: "What a Hive account paid and earned for single pages and calls, read from the chain.",
  account: "Account",
  show: "Show",
  choose: "Whose payments?",
  chooseHint: "You are not signed in. The chain is public: look at any account.",
  balance: "Balance",
  paid: "Paid",
  earned: "Earned",
  refunded: "Refunded",
  refund: (reason: string | undefined) => (reason === undefined ? "Refund" : `Refund: ${reason}`),
  plotTitle: "Per day (UTC)",
  plotLabel: (paid: string, earned: string, days: number) =>
    `Bars per day for ${days} days: ${paid} HBD paid and ${earned} HBD earned in all. The table below has the single payments.`,
  tableTitle: "Latest payments",
  columns: { time: "Time", with: "With", amount: "HBD", block: "Block", transaction: "Transaction" },
  to: (name: string) => `to @${name}`,
  from: (name: string) => `from @${name}`,
  empty: {
    title: (name: string) => `@${name} has paid and earned nothing yet`,
    text: "Unlock an article, and it shows up here a few seconds later.",
    textWithoutShop: "A payment shows up here a few seconds later.",
    action: "See the articles",
  },
  unknown: {
    title: "Account not found",
    text: "There is no Hive account with this name. Check the spelling and look again.",
  },
  failed: {
    title: "The payments can't be read right now",
    text: "Hive is not answering. Nothing is lost. Try again in a moment.",
  },
  retry: "Try again",
});
