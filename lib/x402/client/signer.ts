import type { SignedTransaction } from "../types.ts";
import type { UnsignedTransfer } from "./build-transfer.ts";
import { PaymentError } from "./payment-error.ts";

/** Asks a wallet to sign without broadcasting, such as Hive Keychain's `requestSignTx`. */
export type SignTransaction = (
  transaction: UnsignedTransfer,
  account: string,
) => SignedTransaction | Promise<SignedTransaction>;

/** The signer: a local key, or a wallet. */
export type Signer =
  | {
      /** The private active key in WIF. `undefined`, for instance from an unset variable, is an error. */
      activeKey: string | undefined;
      signTransaction?: undefined;
    }
  | { signTransaction: SignTransaction; activeKey?: undefined };

/** The options of everything that signs for an account. */
export const signingOptions = {
  account: true,
  activeKey: true,
  signTransaction: true,
  nodes: true,
  chainId: true,
  network: true,
} as const;

/** Signs one transfer. The key stays in the closure, and no returned value contains it. */
export type Sign = {
  (transfer: UnsignedTransfer): Promise<SignedTransaction>;
  /** The lifetime of a transfer to sign. */
  lifeMs: number;
};

/** Long enough for a slow facilitator, and short enough that an unsettled payment soon becomes worthless. */
const KEY_LIFE_MS = 60_000;
/** Long enough for a person to find the wallet's window, unlock it and read. */
const WALLET_LIFE_MS = 300_000;

export const wifShape = /^5[1-9A-HJ-NP-Za-km-z]{50}$/;

/**
 * Creates the signing function of an account.
 * @throws TypeError if neither a key in WIF nor a wallet is given
 */
export function createSigner(account: string, signer: Signer, chainId: string): Sign {
  const { activeKey, signTransaction } = signer;
  if (signTransaction)
    return holding(WALLET_LIFE_MS, (transfer) => askWallet(signTransaction, transfer, account));
  if (typeof activeKey !== "string")
    throw new TypeError(
      "activeKey" in signer
        ? "activeKey is not set: pass a private key in WIF, or signTransaction"
        : "give activeKey or signTransaction",
    );
  if (!wifShape.test(activeKey)) throw new TypeError("activeKey must be a private key in WIF");
  return holding(KEY_LIFE_MS, async (transfer) => {
    // The curve is loaded with the first payment rather than with the page.
    const { signWithKey } = await import("./sign-with-key.ts");
    try {
      return { ...transfer, signatures: [signWithKey(transfer, activeKey, chainId)] };
    } catch (cause) {
      throw new PaymentError("signing_failed", "The active key is not a private key.", { cause });
    }
  });
}

const holding = (lifeMs: number, sign: (transfer: UnsignedTransfer) => Promise<SignedTransaction>): Sign =>
  Object.assign(sign, { lifeMs });

async function askWallet(
  signTransaction: SignTransaction,
  transfer: UnsignedTransfer,
  account: string,
): Promise<SignedTransaction> {
  const asked = structuredClone(transfer);
  let answer: SignedTransaction;
  try {
    answer = await signTransaction(transfer, account);
  } catch (cause) {
    throw new PaymentError("signing_failed", "The wallet did not sign.", { cause });
  }
  const { signatures } = answer ?? {};
  const isSigned = Array.isArray(signatures) && signatures.length > 0;
  if (!isSigned || JSON.stringify(comparable(answer)) !== JSON.stringify(comparable(asked)))
    throw new PaymentError(
      "signing_failed",
      "The wallet signed something other than the requested transfer.",
    );
  return { ...asked, signatures: signatures.map((signature) => String(signature).toLowerCase()) };
}

/**
 * Returns the significant fields in a fixed order, because wallets add fields, and write times with or
 * without milliseconds.
 */
function comparable(transaction: Omit<SignedTransaction, "signatures">) {
  const [name, { from, to, amount, memo } = {}] = (transaction.operations?.[0] ?? []) as [
    string?,
    Record<string, unknown>?,
  ];
  return [
    transaction.ref_block_num,
    transaction.ref_block_prefix,
    String(transaction.expiration).replace(/\.000$/, ""),
    transaction.operations?.length,
    [name, from, to, amount, memo],
  ];
}
