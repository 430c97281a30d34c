import { createJwsSigner } from "../../lib/x402/offer-receipt/sign-jws.ts";
import type { PaymentRequired, PaymentRequirements } from "../../lib/x402/types.ts";
import { signing } from "./signing-key.ts";

type Sign = (terms: object) => string;

/** A `fetch` that changes the message of a 402, as a proxy between seller and payer could. */
export const changing =
  (change: (required: PaymentRequired, offer: PaymentRequirements) => void): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 402) return response;
    const required = (await response.json()) as PaymentRequired;
    change(required, required.accepts[0] as PaymentRequirements);
    return Response.json(required, { status: 402 });
  };

/** Returns the signed offers of a message. */
export const signedIn = ({ extensions }: PaymentRequired) =>
  extensions?.["offer-receipt"] as { info: { offers: Array<{ signature: string }> } };

/** A `fetch` that puts one offer for each of the terms, signed by `sign`, in place of the seller's. */
export const resigned = (
  terms: object | readonly object[],
  sign: Sign = createJwsSigner(Buffer.from(signing.privateKey, "hex")),
) =>
  changing((required, { network, payTo, resource: resourceUrl, maxAmountRequired: amount }) => {
    const common = { version: 1, scheme: "exact", asset: "HBD", network, payTo, amount, resourceUrl };
    signedIn(required).info.offers = [terms]
      .flat()
      .map((more) => ({ format: "jws", signature: sign({ ...common, ...more }) }));
  });

/** A `fetch` that puts other terms, or another signature, in place of the seller's receipt. */
export const receiving =
  (change: (terms: object) => string): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const text = response.headers.get("x-payment-response");
    if (text === null) return response;
    const settlement = JSON.parse(atob(text)) as {
      extensions: { "offer-receipt": { info: { receipt: { signature: string } } } };
    };
    const { receipt } = settlement.extensions["offer-receipt"].info;
    const terms = JSON.parse(Buffer.from(receipt.signature.split(".")[1] ?? "", "base64url").toString());
    receipt.signature = change(terms);
    const headers = new Headers(response.headers);
    headers.set("x-payment-response", btoa(JSON.stringify(settlement)));
    return new Response(response.body, { status: response.status, headers });
  };
