import type { PaymentRequirements } from "../../types.ts";
import type { PageTexts } from "../payment-page-texts.ts";

/** A receipt as the page shows and stores it. */
export type PageReceipt = {
  payer: string;
  txId: string;
  blockNum?: number | null;
  network?: string;
  /** The amount, such as "0.050 HBD". */
  amount?: string;
  /** The time of the payment, if it is known. */
  paidAt?: string | null;
};

/** The JSON that the server writes into the page for its script. */
export type PageData =
  | {
      texts: PageTexts["script"];
      offer: PaymentRequirements | undefined;
      /** Addresses of chain nodes; none if no wallet can pay. */
      nodes: readonly string[];
      /** True if the server takes a transfer that the payer's wallet sends. */
      sends: boolean;
      /** Sentences by the code of a refusal; for other codes, the answer's own sentence is shown. */
      refusals: PageTexts["refusals"];
      bought?: undefined;
    }
  | { texts: PageTexts["script"]; bought: PageReceipt };
