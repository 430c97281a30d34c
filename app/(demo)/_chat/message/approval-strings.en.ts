import { inLanguages } from "../../_ui/language.ts";

/** The texts of requests for money, which load with the first one. */
export const strings = inLanguages("approval", {
  title: (agent: string) => `${agent} asks for money`,
  payee: "To",
  resource: "For",
  reason: "Reason",
  states: {
    waiting: (owner: string) => `Waits for ${owner}`,
    yours: "Waits for you",
    sent: (agent: string) => `Signed. Waiting for ${agent}…`,
    refusing: (agent: string) => `Refused. Waiting for ${agent}…`,
    approved: "Approved: the payment is being made",
    paid: "Paid",
    refused: "Refused: nothing was paid",
    late: "Too late to approve",
    expired: "Too late: nothing was paid",
    unpaid: "Ended without a payment",
    unclear: "Interrupted: look at the account's payments",
  },
  minutesLeft: (minutes: number) => (minutes === 1 ? "less than a minute left" : `${minutes} minutes left`),
  approve: (amount: string) => `Approve ${amount}`,
  refuse: "Refuse",
  cancel: "Cancel",
  signing: "Waiting for the signature…",
  asksWallet: (amount: string, payee: string) =>
    `Keychain asks you to sign the approval of ${amount} to ${payee}.`,
  otherWay: "Sign in another way",
  keychain: "Use Hive Keychain",
  key: {
    label: "Posting key",
    hint: "Signs in this page only; it is never sent or kept.",
    button: "Sign with this key",
    malformed: "This is not a private key: one starts with 5 and has 51 characters. Copy it again.",
    refused:
      "Keys are typed in on the sandbox only: a page that asks for your key could keep it. Use a wallet such as Hive Keychain, which signs without showing the key.",
  },
  signedText: "The text that is signed",
  notTheAgent: (agent: string) => `This message is not from ${agent}. Do not sign it.`,
  otherChat: (chat: string) => `This request is for the chat at ${chat}. Do not sign it here.`,
  failures: {
    wallet: "The wallet did not sign. Check that it holds your posting key, then try again.",
    cancelled: "You did not sign. Nothing was paid.",
    stillAsking: "Keychain still waits for your answer to an earlier question. Answer it, then try again.",
    unsent: "Your answer could not be sent. Try again.",
  },
  approved: (amount: string, payee: string) => `I approve ${amount} to ${payee}.`,
  refusal: (amount: string, payee: string) => `I refuse ${amount} to ${payee}.`,
  signed: "With a signature, which the agent checks",
});
