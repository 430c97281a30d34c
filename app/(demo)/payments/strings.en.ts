/** The texts of the page about paid and earned amounts. */
export const strings = {
  title: "Payments",
  lead: "What an account paid and earned for x402 resources, read from the chain.",
  account: "Account",
  show: "Show",
  choose: "Whose payments?",
  chooseHint: "You are not signed in. The chain is public: look at any account.",
  balance: "Balance",
  paid: "Paid",
  earned: "Earned",
  plotTitle: "Per day (UTC)",
  plotLabel: (paid: string, earned: string, days: number) =>
    `Bars per day for ${days} days: ${paid} HBD paid and ${earned} HBD earned in all. The table below has the single payments.`,
  tableTitle: "Latest payments",
  columns: { time: "Time", with: "With", amount: "HBD", block: "Block", transaction: "Transaction" },
  to: (name: string) => `to @${name}`,
  from: (name: string) => `from @${name}`,
  empty: {
    title: (name: string) => `@${name} has no x402 payments yet`,
    text: "Unlock an article, and it shows up here a few seconds later.",
    action: "See the articles",
  },
  unknown: { title: "The chain does not know this account", text: "Check the name and look again." },
  failed: {
    title: "The payments can't be read just now",
    text: "The chain does not answer. Nothing is lost; try again in a moment.",
  },
  retry: "Try again",
} as const;
