import { signText } from "../../lib/hive/private-key.ts";
import { decodeHeader } from "./ask-paid.ts";
import { wifOf } from "./start-shop.ts";

/** The extension `sign-in-with-x` as a 402 announces it. */
export type Challenge = {
  info: Record<
    "domain" | "uri" | "version" | "nonce" | "issuedAt" | "expirationTime" | "statement",
    string
  > & {
    resources: string[];
  };
  supportedChains: Array<{ chainId: string; type: string }>;
  schema: Record<string, unknown>;
};

/** The challenge in the header of a 402, or `undefined` without one. */
export const challengeOf = (response: Response): Challenge | undefined =>
  decodeHeader<{ extensions?: Record<string, Challenge> }>(response, "payment-required").extensions?.[
    "sign-in-with-x"
  ];

/** The text that an account signs, as CAIP-122 writes it. */
export const textOf = ({ info, supportedChains: [chain] }: Challenge, account: string): string =>
  `${info.domain} wants you to sign in with your Hive account:
${account}

${info.statement}

URI: ${info.uri}
Version: 1
Chain ID: ${chain?.chainId.split(":")[1]}
Nonce: ${info.nonce}
Issued At: ${info.issuedAt}
Expiration Time: ${info.expirationTime}
Resources:
- ${info.resources[0]}`;

/** Signs a challenge. `changes` then replace fields of the proof. */
export function proofOf(
  challenge: Challenge,
  {
    account = "alice",
    wif = wifOf(account, "posting"),
    ...changes
  }: { account?: string; wif?: string } & Record<string, unknown> = {},
): Record<string, unknown> {
  const [chain] = challenge.supportedChains;
  const signature = signText(textOf(challenge, account), wif);
  return { ...challenge.info, ...chain, address: account, signature, ...changes };
}

export const encodeProof = (proof: unknown): string => Buffer.from(JSON.stringify(proof)).toString("base64");

/**
 * Requests an address with a sign-in; the challenge is in the body of the 402 of `from`, by default of that address. A
 * long offer has no room for it in the header.
 */
export async function askSignedIn(
  url: string,
  given: Parameters<typeof proofOf>[1] & { from?: string } = {},
): Promise<Response> {
  const { from = url, ...rest } = given;
  const offer = await fetch(from, { headers: { accept: "application/json" } });
  const challenge: Challenge | undefined = (await offer.json()).extensions?.["sign-in-with-x"];
  if (!challenge) throw new Error("no one can sign in");
  return fetch(url, { headers: { "sign-in-with-x": encodeProof(proofOf(challenge, rest)) } });
}
