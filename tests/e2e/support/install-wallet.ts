import dhive from "@hiveio/dhive";
import type { Page } from "playwright/test";
import { strings } from "../../../app/(demo)/_session/strings.en.ts";
import { MAINNET_CHAIN_ID } from "../../../lib/chains.ts";
import { readSandbox, type Sandbox } from "./api-person.ts";

/**
 * Installs a substitute for the Hive Keychain extension into a page. It stores the sandbox's keys outside the
 * page. `waits`: it answers its last question on `answerWallet`. `lateMs`: it appears that long after the
 * page. `onMainnet`: it signs for Hive's main chain. `holds`: its keys and chain if the server is not a
 * sandbox.
 */
export async function installWallet(
  page: Page,
  url: string,
  {
    refuses = false,
    waits = false,
    lateMs = 0,
    onMainnet = false,
    holds,
  }: {
    refuses?: boolean;
    waits?: boolean;
    lateMs?: number;
    onMainnet?: boolean;
    holds?: Pick<Sandbox, "accounts"> & Partial<Pick<Sandbox, "chain">>;
  } = {},
): Promise<void> {
  const { accounts, chain } = holds ?? (await readSandbox(url));
  const keyOf = (name: string, role: string) => {
    const wif = accounts.find((account) => account.name === name)?.keys[role.toLowerCase()];
    if (!wif) throw new Error(`no ${role} key of ${name}`);
    return dhive.PrivateKey.fromString(wif);
  };
  await page.exposeFunction("walletSignBuffer", (name: string, message: string, role: string) => {
    if (role !== "Posting") throw new Error(`a sign-in asked for the ${role} key`);
    return keyOf(name, role).sign(dhive.cryptoUtils.sha256(message)).toString();
  });
  await page.exposeFunction("walletSignTransaction", (name: string, transaction: object, role: string) =>
    dhive.cryptoUtils.signTransaction(
      transaction as dhive.Transaction,
      keyOf(name, role),
      Buffer.from(onMainnet ? MAINNET_CHAIN_ID : (chain?.chainId ?? ""), "hex"),
    ),
  );
  await page.addInitScript(
    ({ refuses, waits, lateMs }) => {
      type Answer = { success: boolean; result?: unknown; error?: string; message?: string };
      type Signer = (name: string, subject: unknown, role: string) => Promise<unknown>;
      const wallet = window as unknown as { walletSignBuffer: Signer; walletSignTransaction: Signer };
      const answer = (sign: () => Promise<unknown>, callback: (answer: Answer) => void) => {
        const say = () => {
          if (refuses)
            callback({
              success: false,
              error: "user_cancel",
              message: "Request was canceled by the user.",
            });
          else
            sign().then(
              (result) => callback({ success: true, result }),
              () => callback({ success: false, error: "sign_error" }),
            );
        };
        if (waits) Object.assign(window, { answerWallet: say });
        else say();
      };
      const turnUp = () =>
        Object.assign(window, {
          hive_keychain: {
            requestSignBuffer: (
              name: string,
              message: string,
              role: string,
              callback: (answer: Answer) => void,
            ) => answer(() => wallet.walletSignBuffer(name, message, role), callback),
            requestSignTx: (
              name: string,
              transaction: object,
              role: string,
              callback: (answer: Answer) => void,
            ) => answer(() => wallet.walletSignTransaction(name, transaction, role), callback),
          },
        });
      if (lateMs > 0) setTimeout(turnUp, lateMs);
      else turnUp();
    },
    { refuses, waits, lateMs },
  );
}

/** Makes a waiting wallet answer its last question. */
export async function answerWallet(page: Page): Promise<void> {
  await page.evaluate(() => (window as unknown as { answerWallet: () => void }).answerWallet());
}

/** Starts a sign-in as bob with the wallet. */
export async function askToSignIn(page: Page, url = "/"): Promise<void> {
  await page.goto(url);
  await page.getByRole("textbox", { name: strings.username }).fill("bob");
  await page.getByRole("button", { name: strings.keychain.button }).click();
}
