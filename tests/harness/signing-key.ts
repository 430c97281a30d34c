import { didKeyOf } from "../../lib/x402/offer-receipt/did-key.ts";
import { publicKeyOf } from "../../lib/x402/offer-receipt/sign-jws.ts";

/** The key by which a test's seller signs, and its DID URL. */
export const signing = { privateKey: "5e".repeat(32) };
export const signingDid = didKeyOf(publicKeyOf(Buffer.from(signing.privateKey, "hex")));
