import { inLanguages } from "../_ui/language.ts";
import { problemTexts } from "./problem-texts.en.ts";

/** Every text of signing in and out. */
export const strings = inLanguages("session", {
  ...problemTexts,
  steps: {
    challenge: "Asking what to sign…",
    sign: "Waiting for the signature…",
    login: "Checking the signature…",
    bootstrap: "Opening the chat…",
  },
  sandbox: {
    title: "Try it as one of the sandbox accounts",
    hint: "Their keys are public and worth nothing outside this sandbox.",
    signInAs: (name: string) => `Sign in as ${name}`,
  },
  username: "Hive account",
  usernamePlaceholder: "alice",
  keychain: {
    button: "Use Hive Keychain",
    next: "Keychain asks in this browser, you confirm, and the chat opens.",
  },
  phone: {
    button: "Use Keychain on a phone",
    next: "Your phone scans a code, you sign there, and the chat opens here.",
    nextHere: "Keychain opens, you sign there, and come back to the chat.",
  },
  hiveauth: {
    button: "Use HiveAuth",
    next: "Your wallet scans a code, you accept there, and the chat opens here.",
    nextHere: "Your wallet opens, you accept there, and come back to the chat.",
  },
  ecency: {
    button: "Use Ecency",
    nextHere: "Ecency opens, you confirm there, and come back to the chat.",
  },
  hivesigner: {
    button: "Use HiveSigner",
    next: "HiveSigner opens in a new tab, you confirm there, and the chat opens here.",
  },
  key: {
    summary: "Use a posting key instead",
    label: "Posting key",
    hint: "Signs in this page only; it is never sent or kept.",
    button: "Sign in with this key",
    nameless: "Type the account's name first.",
    refused:
      "Keys are typed in on the sandbox only: a page that asks for your key could keep it. Use a wallet such as Hive Keychain, which signs without showing the key.",
    malformed: "This is not a private key: one starts with 5 and has 51 characters. Copy it again.",
  },
  failures: {
    ...problemTexts.failures,
    unauthorized: {
      title: "The chain does not know this signature",
      text: "It must be made with the account's posting key. Check the account name and the key, then try again.",
    },
    malformed_name: {
      title: "This is not the name of a Hive account",
      text: "Such a name has 3 to 16 lowercase letters, digits, dots and dashes. Check it, then try again.",
    },
    malformed_key: {
      title: "This is not a private key",
      text: "A character of it is wrong or missing. Copy the whole key again, then try once more.",
    },
    wallet: {
      title: "The wallet did not sign",
      text: "Check that it holds this account's posting key, then try again.",
    },
    auth_unavailable: {
      title: "The chain can't be asked right now",
      text: "Nothing is wrong with your account, and you don't have to sign in again. Try again in a moment.",
    },
    backend_unreachable: {
      title: "The chat server can't be reached",
      text: "Your account is fine, but the chat itself is down. Try again in a moment.",
    },
    backend_timeout: {
      title: "The chat server is slow",
      text: "It did not answer in time. Try again in a moment.",
    },
    forbidden: {
      title: "This account can't chat here",
      text: "It was deactivated by the people who run this chat. Ask them.",
    },
    name_taken: {
      title: "Somebody else has this name here",
      text: "The chat server has another user with this account's name. Tell the people who run this chat: they can sort it out.",
    },
    name_reserved: {
      title: "This name can't chat here",
      text: "The chat server keeps this account's name for itself. Sign in with another account.",
    },
    chat_token_refused: {
      title: "The chat is not set up",
      text: "Its server refuses this page's server. Tell the people who run this chat.",
    },
    user_limit_reached: {
      title: "This chat is full",
      text: "Its server takes no more users. Tell the people who run it.",
    },
    cancelled: {
      title: "Nothing was signed",
      text: "You declined or closed the wallet's question, or it lacks this account or its posting key. Start again when you like.",
    },
    relay: {
      title: "HiveAuth can't be reached",
      text: "Its relay does not answer, or refuses the question. Try again in a moment, or use another wallet.",
    },
    wallet_asking: {
      title: "Keychain is still asking",
      text: "Its earlier question is still open. Close its window first; if it is closed already, just try again.",
    },
    other: {
      title: "Signing in did not work",
      text: "Try again. If it keeps happening, tell the people who run this chat the number below.",
    },
    unknown: {
      title: "Signing in did not work",
      text: "Try again. If it keeps happening, reload this page.",
    },
  },
  walletWait: {
    signIn: (account: string) => `Keychain asks you to sign in as @${account}.`,
  },
  walletSays: (said: string) => `Keychain says: ${said}`,
});
