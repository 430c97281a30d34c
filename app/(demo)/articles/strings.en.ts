/** The texts of the shop. */
export const strings = {
  title: "Articles",
  lead: "Each one costs what it says, once. No account, no subscription: your wallet signs a transfer, and the page opens.",
  read: (title: string) => `Read “${title}”`,
  back: "All articles",
  missing: "There is no such article.",
  locked: "The rest of this article is for readers who pay for it.",
  how: "The server answers 402 with its price, your wallet signs, and about three seconds later the transfer is in a block.",
  steps: "What went over the wire",
} as const;
