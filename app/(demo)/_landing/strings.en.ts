/** The texts of the first page. */
export const strings = {
  title: "Chat with your Hive name. Pay for a page, not a month.",
  lead: "Hivegate is one Node process that gives any Hive front end team chat with chain identity, and HTTP 402 payments in HBD that settle in a block.",
  start: "Start chatting",
  readArticles: "See a page that sells itself",
  points: [
    {
      title: "Your account is the login",
      text: "A posting signature proves who you are. No e-mail, no password, nothing to leak.",
    },
    {
      title: "Communities are channels",
      text: "Every community you follow is a room, and its moderators are the room's moderators.",
    },
    {
      title: "Cents, without fees",
      text: "A page answers 402, your wallet signs 0.050 HBD, and three seconds later you read.",
    },
  ],
  nav: { chat: "Chat", articles: "Articles", payments: "Payments", reference: "API" },
  notFound: {
    title: "There is nothing at this address.",
    text: "The link may be old, or a letter of it got lost.",
    home: "To the first page",
    chat: "Open the chat",
  },
  broken: {
    title: "This page broke",
    text: "Something in it failed while it was shown. What you wrote in the chat and what you paid for is kept. Try again; if it goes on, tell the people who run this server.",
    withNumber: (digest: string) => `Error ${digest}`,
    retry: "Try again",
    home: "To the first page",
  },
  home: "Hivegate, first page",
  skip: "Skip to content",
} as const;
