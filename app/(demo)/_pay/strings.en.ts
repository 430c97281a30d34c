import { inLanguages } from "../_ui/language.ts";

const plural = new Intl.PluralRules("en");

/** Every text about paying. */
export const strings = inLanguages("pay", {
  unlock: (amount: string) => `Unlock ${amount}`,
  payTitle: "Pay to read",
  summary: {
    hbd: "HBD is Hive's dollar: one HBD is about one US dollar.",
    to: (payee: string, chain: string) => `To @${payee} on ${chain}`,
    mainChain: "Hive",
    sandboxChain: "this sandbox's chain",
  },
  payer: {
    legend: "Who pays",
    by: (account: string, isWallet: boolean) => `Paid by @${account}${isWallet ? " with Hive Keychain" : ""}`,
    nobody: "Choose who pays",
    change: "Change",
    sandboxHint: "Sandbox accounts: public keys, play money.",
    keychain: "Hive Keychain",
    transfer: "A phone or another wallet",
    byTransfer: "Paid from a phone or another wallet",
    keychainHint: "Your wallet asks before it signs. The key never leaves it.",
    account: "Your Hive account",
    balance: (account: string, balance: string) => `@${account} has ${balance}`,
    tooLittle: (account: string, balance: string) =>
      `@${account} has only ${balance}. Choose another account.`,
  },
  guard: {
    line: (limit: string, left: string, total: string) =>
      `At most ${limit} HBD per payment · ${left} of ${total} HBD left in this tab`,
    change: "Change limits",
    raise: (amount: string) => `Raise limit to ${amount}`,
    perPayment: "Most per payment, HBD",
    perTab: "Most per tab, HBD",
    malformed: "Enter an amount such as 0.050",
    save: "Save limits",
    reset: "Count from zero again",
    over_limit: (price: string, limit: string) =>
      `${price} is over your limit of ${limit} HBD per payment. Nothing will be signed.`,
    over_budget: (price: string, left: string) =>
      `${price} is more than the ${left} HBD that are left in this tab. Nothing will be signed.`,
  },
  pay: (amount: string) => `Pay ${amount}`,
  steps: {
    ask: "Ask for the price",
    sign: "Sign the payment",
    settle: "Wait for the block, about 3 s",
    done: "Open what was paid for",
  },
  wallet: {
    asks: (amount: string, payee: string) =>
      `Keychain asks you to sign ${amount} to @${payee}; open Transaction to check.`,
    left: (time: string) => `The offer holds for ${time} more.`,
    says: (said: string) => `Keychain says: ${said}`,
  },
  order: {
    article: (amount: string, payee: string, title: string) => `${amount} to @${payee} for “${title}”`,
    tip: (amount: string, name: string) => `${amount} as a tip to @${name}`,
  },
  late: {
    left: (order: string) =>
      `You had cancelled the payment of ${order}. Keychain's signature was not used: nothing was paid.`,
    expired: (order: string) => `The offer had run out when Keychain signed ${order}: nothing was paid.`,
  },
  wasBought: (payer: string) => `@${payer} had bought it before: nothing was charged this time.`,
  left: {
    label: "Payments under way",
    asks: (order: string) => `Keychain still asks you to sign ${order}. If you confirm there, it is paid.`,
    paying: (order: string) => `Paying ${order}…`,
    sending: (order: string) => `Waiting for your transfer of ${order}.`,
    finishing: (amount: string, payer: string) => `Finishing your payment of ${amount} by @${payer}…`,
    opened: (title: string) => `“${title}” is paid and open.`,
    show: "Show",
    stop: "Don't pay",
    read: "Read it",
    hide: "Hide",
  },
  pending: "Not in a block yet; sending the same payment again…",
  failures: {
    insufficient_funds: {
      title: "Not enough HBD",
      text: "Nothing was charged. Choose another account, or top this one up.",
    },
    expired: {
      title: "The offer ran out",
      text: "It was not paid in time, and nothing was charged. Start again with a fresh offer.",
    },
    cancelled: {
      title: "Nothing was signed",
      text: "You declined or closed Keychain's question, or Keychain lacks this account or its active key. Start again when you like.",
    },
    wallet_asking: {
      title: "Keychain is still asking",
      text: "Its earlier question is still open. Close its window first; if it is closed already, just try again.",
    },
    wallet: {
      title: "The wallet did not sign",
      text: "Nothing was charged. Close all its windows, then try again. If it keeps happening, check that it holds this account's active key.",
    },
    over_limit: {
      title: "Over your limit",
      text: "The price is above what you allow for one payment. Raise the limit below if you mean it.",
    },
    over_budget: {
      title: "Tab total used up",
      text: "This payment is more than what is left for this tab. Raise the total below if you mean it.",
    },
    pending: {
      title: "Not settled yet",
      text: "The payment is on its way. Send it again in a moment: the same payment can't charge you twice.",
    },
    facilitator_down: {
      title: "Payments can't be checked right now",
      text: "The service that settles them is not answering. Try again in a moment: the same payment goes out, and can't be charged twice.",
    },
    chain_down: {
      title: "The chain can't be reached",
      text: "Nothing was signed or charged. Try again in a moment.",
    },
    offline: {
      title: "No answer",
      text: "This page can't reach its server. Check the connection, then send again: the same payment goes out, never a second one.",
    },
    not_authorized: {
      title: "This key may not pay",
      text: "The signature is not by the account's active key. Nothing was charged. Choose the account that the key belongs to.",
    },
    wrong_chain: {
      title: "Signed for another chain",
      text: "The wallet is set to another chain than this payment's. Nothing was charged. Set it to this payment's chain, then try again.",
    },
    account_not_found: {
      title: "No such account",
      text: "This payment's chain does not know one of the two accounts. Nothing was charged. Check the name, and that the wallet is set to this chain.",
    },
    self_payment: {
      title: "You can't pay yourself",
      text: "Payer and payee are the same account. Choose another payer.",
    },
    replayed: {
      title: "This payment was used already",
      text: (payer: string) =>
        `Nothing more was charged. An article that it paid for belongs to @${payer}: sign in as @${payer} to read it without paying again.`,
    },
    sent_used: {
      title: "Your transfer was used already",
      text: "It has opened what it paid for, in another window of this browser. Nothing more was charged.",
    },
    sent_unrecognized: {
      title: "The server does not recognize this memo",
      text: "If you have sent a transfer with it, wait: this page keeps asking, now and when you open it again. Otherwise start again.",
    },
    sent_void: {
      title: "This memo buys nothing any more",
      text: "If you have sent a transfer with it, ask the seller, whose books name what is to be returned. Otherwise start again.",
    },
    other_network: {
      title: "Another network",
      text: "The offer is for a chain that this page does not pay on. Nothing was signed. Choose something else, or ask the seller.",
    },
    gone: { title: "It is no longer there", text: "Nothing was charged. Go back and choose something else." },
    too_many: { title: "Too many attempts", text: "Nothing was charged. Wait a moment, then try again." },
    refused: {
      title: "The payment was refused",
      text: "Nothing was charged. Try again, or choose another account.",
    },
  },
  sendAgain: "Send the same payment again",
  tryAgain: "Try again",
  requestId: (id: string) => `Number ${id}`,
  owned: {
    title: "You already own this",
    text: "It was paid for on another device or in another window. Nothing is charged again.",
    show: "Show it",
  },
  quoteFailed: "The price can't be read right now. Try again in a moment.",
  receipt: {
    title: "Receipt",
    paid: (amount: string, payer: string) => `${amount} by @${payer}`,
    transaction: "Transaction",
    block: "Block",
    copy: "Copy the transaction id",
    copied: "Copied",
    explorer: "Open in a block explorer",
    payments: "All payments",
  },
  flow: {
    open: "Show each step",
    title: "This payment, step by step",
    text: "What this page sent, and what came back. Keys stay where they are: only signatures travel.",
    empty: "Nothing yet: the steps appear here while you pay.",
    server: "Before its last answer the server has the transfer checked and put into a block.",
  },
  tip: {
    title: (name: string) => `Tip @${name}`,
    text: "A transfer on the chain: all of it arrives.",
    amount: "Amount",
    other: "Other",
    otherLabel: "Amount, HBD",
    lastStep: (name: string) => `Hand it to @${name}`,
    done: (amount: string, name: string) => `@${name} has your ${amount}.`,
    close: "Done",
    untold: (name: string) =>
      `The tip arrived, but @${name} could not be told of it here. Write to them yourself.`,
    chip: (count: number, total: string) =>
      `${count} ${plural.select(count) === "one" ? "tip" : "tips"}, ${total}`,
    earlier: (count: number) => `and ${count} earlier ${plural.select(count) === "one" ? "tip" : "tips"}`,
  },
  post: {
    label: "Paid post",
    paid: "Unlocked",
    unread: "You own this, but its text can't be loaded right now. Try again in a moment.",
    failed: "This paid post can't be shown right now. Reload the page in a moment to try again.",
  },
  loading: "Loading…",
  continueReading: "Continue reading",
  footnotes: {
    title: "Footnotes",
    back: (note: number, mention: number) =>
      mention > 1 ? `Back to mention ${mention} of footnote ${note}` : `Back to footnote ${note} in the text`,
  },
});
