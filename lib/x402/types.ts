import type { ServiceMetadata } from "./discovery/service-metadata.ts";

/** One offer of a 402 answer: the amount, the payee and the resource. */
export type PaymentRequirements = {
  x402Version: number;
  scheme: string;
  network: string;
  /** The price, such as "0.050 HBD". */
  maxAmountRequired: string;
  resource: string;
  payTo: string;
  /** The time in ISO 8601. */
  validBefore: string;
  description?: string;
  mimeType?: string;
  /** `nonce` is the server's suggestion for the memo, and opens only this resource. */
  extra?: Record<string, unknown>;
};

/** The body of a 402 answer and, as base64, its `x-payment` header. */
export type PaymentRequired = {
  x402Version: number;
  /** One English sentence. */
  error?: string;
  code?: string;
  accepts: PaymentRequirements[];
  /** The offer of version 2 to pay the same price by a transfer that the payer's wallet sends itself. */
  transfer?: TransferOffer;
  /** The sent transfers of the presented claim that bought nothing, and are returned. */
  returns?: TransferReturn[];
  /** The service that sells it, for catalogues. */
  resource?: ServiceMetadata;
  /**
   * `sign-in-with-x` is the text that an account signs if it has bought the resource before; `bazaar` says how to call
   * the resource, and what it returns; `offer-receipt` holds the offers, signed by the seller.
   */
  extensions?: Record<string, unknown>;
};

/** A transfer in the chain's own JSON, signed but not broadcast. */
export type SignedTransaction = {
  ref_block_num: number;
  ref_block_prefix: number;
  /** "2026-01-31T12:00:00", UTC. */
  expiration: string;
  operations: unknown[];
  extensions: unknown[];
  signatures: string[];
};

/** The content of the `x-payment` request header, which is base64 of its JSON. */
export type PaymentPayload = {
  x402Version: number;
  scheme: string;
  network: string;
  payload: {
    signedTransaction: SignedTransaction;
    nonce: string;
    /** The payer's secret, base64url of 128 bits or more: the seller delivers only to its holder. */
    holder?: string;
  };
};

/** The resource that offers of version 2 are for. */
export type ResourceInfo = { url: string; description?: string; mimeType?: string };

/** One offer of a 402 answer of version 2. */
export type PaymentRequirementsV2 = {
  scheme: string;
  network: string;
  /** Whole 1/1000 HBD, such as "50"; some servers on Hive write "0.050 HBD". */
  amount: string;
  asset: string;
  payTo: string;
  /** Number of seconds that the payment can take to enter a block. */
  maxTimeoutSeconds: number;
  extra?: Record<string, unknown> | null;
};

/** An offer of version 2 that is paid by a transfer which the payer's wallet sends itself. */
export type TransferOffer = {
  scheme: string;
  network: string;
  /** Whole 1/1000 HBD, such as "50". */
  amount: string;
  asset: string;
  payTo: string;
  /** Number of seconds until the end of the offer. The transfer counts until a day later. */
  maxTimeoutSeconds: number;
  extra: {
    assetTransferMethod: "memo";
    paymentFlow: "upfront";
    /** The public memo of the transfer, by which the seller finds it. */
    memo: string;
    /** The secret that opens the page once the transfer is in a block. Send it only to the seller. */
    claim: string;
    /** A link to the transfer for wallets that open `hive://`. */
    hiveUri: string;
  };
};

/** The content of the `payment-required` header of version 2, which is base64 of its JSON. */
export type PaymentRequiredV2 = {
  x402Version: 2;
  error?: string;
  resource?: ResourceInfo;
  accepts: PaymentRequirementsV2[];
  extensions?: Record<string, unknown>;
};

/** The content of the `payment-signature` header of version 2, which is base64 of its JSON. */
export type PaymentPayloadV2 = {
  x402Version: 2;
  /** The paid offer, as the server sent it. */
  accepted: PaymentRequirementsV2;
  payload: PaymentPayload["payload"];
  resource?: ResourceInfo;
  /** The announced extensions, with the payer's additions. */
  extensions?: Record<string, unknown>;
};

/** A sent transfer that buys nothing, which its payee owes back to its payer. */
export type TransferToReturn = {
  txId: string;
  /** The index of the transfer among the operations of its transaction. */
  operation: number;
  blockNum: number;
  payer: string;
  /** The amount, such as "0.050 HBD" or "1.000 HIVE". */
  amount: string;
  cause:
    | "paid_too_little"
    | "paid_too_much"
    | "paid_other_coin"
    | "paid_other_memo"
    | "paid_too_late"
    | "paid_twice";
};

/** The content of the `payment-signature` header for a transfer that the payer's wallet has sent. */
export type PaymentOfTransfer = {
  x402Version: 2;
  /** The paid offer, as the server sent it. */
  accepted: PaymentRequirementsV2;
  payload: {
    type: "memo";
    /** The secret of the offer. */
    claim: string;
    /** The id of the transfer's transaction, if the wallet returned it. */
    txId?: string;
  };
  resource?: ResourceInfo;
  extensions?: Record<string, unknown>;
};

/** The return of a sent transfer that bought nothing. */
export type TransferReturn = {
  txId: string;
  /** The index of the transfer among the operations of its transaction. */
  operation: number;
  payer: string;
  /** The amount, such as "0.050 HBD" or "1.000 HIVE". */
  amount: string;
  cause: TransferToReturn["cause"];
  /** `noted`: in the seller's books; `sending`: the seller's signer sends it now; `returned`: it was sent back. */
  state: "noted" | "sending" | "returned";
};

/** The answer of `/verify`. */
export type VerifyResponse = {
  isValid: boolean;
  invalidReason?: string;
  payer?: string;
  /** The sent transfers with the memo of the payment that buy nothing. */
  toReturn?: TransferToReturn[];
};

/** The answer of `/settle` and, as base64, the `x-payment-response` header of a paid answer. */
export type SettleResponse = {
  success: boolean;
  txId?: string;
  blockNum?: number;
  errorReason?: string;
  payer?: string;
  /** The same as `txId`, or "", for other x402 software. */
  transaction?: string;
  network?: string;
  /** The index of a sent transfer in its transaction. */
  operation?: number;
  /** The sent transfers with the memo of the payment that buy nothing. */
  toReturn?: TransferToReturn[];
};

/** The answer of `/supported`. */
export type SupportedResponse = {
  kinds: {
    x402Version: number;
    scheme: "exact";
    network: string;
    extra?: {
      /** The chain's id and public nodes, if it is not the main chain. */
      chainId?: string;
      nodes?: string[];
      /** In version 2, the methods of payment in addition to signed transfers: `memo` finds sent transfers. */
      assetTransferMethods?: string[];
    };
  }[];
  extensions: string[];
  signers: Record<string, string[]>;
};

/** The answer of `/health`. */
export type HealthResponse = {
  status: "ok" | "degraded";
  network: string;
  headBlock: number | null;
  /** Age of the head by this machine's clock; negative if the head seems to be in the future. */
  chainLagSeconds: number | null;
  store: "ok" | "unavailable";
  /** The parts at fault, if `status` is `degraded`. */
  failing?: ("chain" | "store" | "clock")[];
  /** Reasons why answers are less certain than they could be. */
  warnings?: string[];
  /** The lead of this machine's clock over the chain's (negative: behind), if more than 5 s; payments continue. */
  clockAheadSeconds?: number;
};

/** The body of `/verify` and `/settle`. */
export type FacilitatorRequest = SignedPaymentRequest | SentTransferRequest;

type SignedPaymentRequest = {
  x402Version: number;
  /** `extensions`: what the seller declares, such as `bazaar`. */
  paymentPayload: PaymentPayload & { extensions?: Record<string, unknown> };
  paymentRequirements: PaymentRequirements;
};

/** The body of `/verify` and `/settle` for a transfer that the payer's wallet has sent. */
export type SentTransferRequest = {
  x402Version: 2;
  paymentPayload: PaymentOfTransfer & { extensions?: Record<string, unknown> };
  /** `validBefore`: the end of the offer in ISO 8601. The transfer counts until a day later. */
  paymentRequirements: PaymentRequirementsV2 & { validBefore: string; resource: string };
};

/** Verifies and settles payments; both reject when the chain or the facilitator cannot be reached. */
export type Facilitator = {
  verify(request: FacilitatorRequest): Promise<VerifyResponse>;
  settle(request: FacilitatorRequest, options?: { idempotencyKey?: string }): Promise<SettleResponse>;
  /** Returns the kinds of payments that it settles; payment pages learn the chain's nodes from it. */
  supported?(): SupportedResponse;
};
