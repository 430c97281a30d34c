import { inLanguages } from "../_ui/language.ts";

/**
 * The texts about wallets. They load with the parts that show them, because most users who sign in never see
 * them.
 */
export const strings = inLanguages("wallet", {
  missing: "Hive Keychain is not installed in this browser. Install it, then reload this page.",
  get: "Get Hive Keychain",
  noAnswer: "Keychain has not answered: look for its window; is it unlocked and set up?",
  left: (time: string) => `You have ${time} left to sign.`,
  cancel: "Cancel",
  otherPhone: "Show a code for another phone",
  here: "Open the wallet on this device instead",
  onlyYours: "Sign only what you asked for yourself, never a code that you were sent.",
  unreachable: "Wallets on a phone answer to https only, and this page has another address.",
  phone: {
    scan: (account: string) =>
      `Scan this code with Keychain on your phone, and sign in as @${account} there. This page then goes on by itself.`,
    open: (account: string) =>
      `Sign in as @${account} in Keychain, then come back to this page. It goes on by itself.`,
    openButton: "Open Keychain",
    noAnswer: "Nothing opened? The phone needs Keychain, with this account set up in it.",
    code: "Code to scan with Keychain",
    get: "Get Hive Keychain",
  },
  hiveauth: {
    scan: (account: string) =>
      `Scan this code with your HiveAuth wallet, such as Keychain's app, and admit @${account} there. This page then goes on by itself.`,
    open: (account: string) =>
      `Admit @${account} in your HiveAuth wallet, then come back to this page. It goes on by itself.`,
    openButton: "Open the wallet",
    noAnswer: "Nothing asked? The phone needs a wallet of HiveAuth, with this account set up in it.",
    code: "Code to scan with a wallet of HiveAuth",
    get: "Wallets of HiveAuth",
  },
  ecency: {
    open: (account: string) =>
      `Confirm @${account} in Ecency, then come back to this page. It goes on by itself.`,
    openButton: "Open Ecency",
    noAnswer: "Nothing opened? The phone needs Ecency, with this account's posting key in it.",
    get: "Get Ecency",
  },
  hivesigner: {
    open: (account: string) =>
      `Sign in as @${account} at HiveSigner, which opens in a new tab. This page then goes on by itself.`,
    openButton: "Open HiveSigner",
    noAnswer: "Nothing happens? Finish in HiveSigner's tab, in this same browser.",
  },
  tooLate: {
    title: "It was not signed in time",
    texts: {
      keychain:
        "Keychain has five minutes to sign. Close its window if it is still open, then ask again: nothing is wrong with your key.",
      elsewhere:
        "A wallet has five minutes to sign. What yours was asked is void now, so ask again: nothing is wrong with your key.",
    },
    askAgain: "Ask again",
  },
  ownChain:
    "This page is on a sandbox with a chain of its own: Hive's accounts and their keys are not known here.",
  otherChain: (network: string) =>
    `This page is on the chain ${network}, not on Hive's main chain: only accounts of that chain and their keys are known here.`,
  chain: {
    summary: "Set Keychain to the chain of this page",
    steps: [
      "Keychain wants an account before it shows its settings: import any, once.",
      "Menu (☰), Advanced settings, RPC Node: untick Switch automatically, then press +.",
      "Give this address, tick Testnet, give this chain id, tick Set new RPC node as active, and save it (the disk).",
    ],
    account: "Menu, Accounts, Add account, Use keys/pwd: your account of this chain, with its keys.",
    back: "Back to Hive's main chain later: choose api.hive.blog in that list, and restart the browser.",
    ofSandbox: {
      summary: "Set Keychain to this sandbox's chain",
      account:
        "Menu, Accounts, Add account, Use keys/pwd: alice (or another of the sandbox), password sandbox; keep all its keys ticked.",
    },
    network: "Chain",
    node: "RPC node",
    chainId: "Chain id",
    copyNetwork: "Copy the chain's name",
    copyNode: "Copy the node's address",
    copyChainId: "Copy the chain id",
    copied: "Copied",
  },
});
