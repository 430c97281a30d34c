import { PaymentError } from "./payment-error.ts";

/** A transfer as a wallet sends it. */
export type TransferToSend = {
  from: string;
  to: string;
  /** The amount, such as "0.050 HBD". */
  amount: string;
  memo: string;
  /** A link to the transfer for wallets that open `hive://`. */
  hiveUri: string;
};

/**
 * Asks a wallet to send a transfer, and returns the id of its transaction, or `null` if nothing was sent and nothing
 * will be. If it rejects, the transfer counts as sent, and is not sent again.
 */
export type SendTransfer = (transfer: TransferToSend) => string | null | Promise<string | null>;

/**
 * Has a transfer sent that is stored already. Returns false if nothing was sent.
 * @throws PaymentError `transfer_unconfirmed`
 */
export async function haveSent(sendTransfer: SendTransfer, transfer: TransferToSend): Promise<boolean> {
  let txId: string | null;
  try {
    txId = await sendTransfer(transfer);
  } catch (cause) {
    throw new PaymentError(
      "transfer_unconfirmed",
      "The wallet did not confirm that it sent the transfer, which may still arrive.",
      { cause },
    );
  }
  return txId !== null;
}
