import { inLanguages } from "../_ui/language.ts";

/** The texts about transfers that wallets send, which load with the first one. */
export const strings = inLanguages("transfer", {
  scan: (amount: string, payee: string) =>
    `Scan this code with your phone, and send ${amount} to @${payee} there. This page then goes on by itself.`,
  send: (amount: string, payee: string) =>
    `Send ${amount} to @${payee} in your wallet, then come back to this page. It goes on by itself.`,
  wallets: "Wallets",
  open: (wallet: string) => `Open ${wallet}`,
  code: (wallet: string) => `Code to scan for ${wallet}`,
  here: "Open a wallet on this device instead",
  other: "Another wallet",
  exactly: "Send exactly this amount in HBD with exactly this memo, from any Hive wallet.",
  hiveauth: {
    title: "A wallet of HiveAuth",
    account: "Account that pays",
    ask: "Ask the wallet",
    connecting: "Connecting to HiveAuth.",
    admit:
      "Scan this code with your HiveAuth wallet and admit this page. The wallet then asks about the transfer.",
    admitHere:
      "Admit this page in your HiveAuth wallet and come back. Then open the wallet again: it asks about the transfer.",
    code: "Code to scan with a wallet of HiveAuth",
    open: "Open the wallet",
    cancel: "Stop asking",
    asked:
      "Confirm the transfer in your wallet; this page goes on by itself. HiveAuth is asked once for each memo, so that nothing is paid twice. If your wallet shows no transfer, use another wallet.",
    unsent: {
      declined: "The wallet declined, and nothing was sent. Ask it again, or use another wallet.",
      expired:
        "The wallet did not answer in time, and nothing was sent. Ask it again, or use another wallet.",
      relay_unavailable: "HiveAuth cannot be reached right now, and nothing was sent. Use another wallet.",
    },
  },
  account: "To",
  amount: "Amount",
  memo: "Memo",
  copyAccount: "Copy the account",
  copyAmount: "Copy the amount",
  copyMemo: "Copy the memo",
  awaiting: "Waiting for your transfer. It takes about three seconds to arrive.",
  noServer: "The server does not answer. This page keeps asking: a transfer that you have sent is not lost.",
  left: (time: string) => `The offer holds for ${time} more.`,
  over: "The time for this memo is up. If you have sent the transfer, wait here: it still counts. If not, get a new memo.",
  renew: "Get a new memo",
  otherWay: "Choose another way",
  causes: {
    paid_too_little: (amount: string, payer: string) =>
      `The ${amount} from @${payer} is less than the price, so it buys nothing.`,
    paid_too_much: (amount: string, payer: string) =>
      `The ${amount} from @${payer} is more than the price, so it buys nothing.`,
    paid_other_coin: (amount: string, payer: string) =>
      `The ${amount} from @${payer} is not in HBD, so it buys nothing.`,
    paid_other_memo: (amount: string, payer: string) =>
      `The ${amount} from @${payer} came with spaces or line breaks around the memo, so it buys nothing.`,
    paid_too_late: (amount: string, payer: string) =>
      `The ${amount} from @${payer} came too late, so it buys nothing.`,
    paid_twice: (amount: string, payer: string) => `The ${amount} from @${payer} is one transfer too many.`,
  },
  states: {
    noted: "The seller has noted that it is to be returned.",
    sending: "The seller is sending it back.",
    returned: "The seller has sent it back.",
  },
  sendRight: (amount: string) => `To go on, send exactly ${amount} with the same memo.`,
});
