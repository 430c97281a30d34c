import { caipOf } from "../../chains.ts";
import { encodeBase64Json } from "../header.ts";
import {
  SIGN_IN_TYPE,
  SIGN_IN_WITH_X,
  type SignInInfo,
  type SignInProof,
  signInText,
} from "../sign-in-text.ts";
import { followRedirect } from "./deliver-payment.ts";
import { type LogicalRequest, send } from "./logical-request.ts";
import type { createMessageSigner } from "./message-signer.ts";
import { PaymentError } from "./payment-error.ts";
import { readChallenge } from "./read-challenge.ts";
import { readCode, readExtensions } from "./read-offers.ts";

/** An account that can prove itself on its chain. */
export type Returning = {
  account: string;
  chainId: string;
  sign: NonNullable<ReturnType<typeof createMessageSigner>>;
  /** Returns whether the account may be revealed to an address. */
  mayAsk(url: string): boolean;
};

/**
 * Codes of challenges that ended before they were answered, because a person took long or the answer was
 * lost.
 */
const outdated = ["invalid_siwx_expired", "invalid_siwx_nonce"];

/**
 * Returns to an earlier purchase of the account, if a 402 answer offers this: repeats the request with a
 * signature, and returns the answer. If that is a 402 too, the account has to pay. The answer stays readable.
 * @throws PaymentError `signing_failed`, because the client must not pay for something that may be free, and
 * `redirected`
 */
export async function comeBack(
  fetcher: typeof fetch,
  { request, url, refusal }: { request: LogicalRequest; url: string; refusal: Response },
  returning: Returning,
): Promise<Response> {
  let answer = refusal;
  // The caller signs in itself, or the account must not be revealed to this address.
  if (request.headers.has(SIGN_IN_WITH_X) || !returning.mayAsk(url)) return answer;
  for (let tries = 1; tries <= 2; tries++) {
    const challenge = readChallenge(await readExtensions(answer), url, caipOf(returning.chainId));
    if (!challenge) return answer;
    const header = await signChallenge(challenge, returning);
    await answer.body?.cancel();
    answer = await send(fetcher, request, url, { header, sentAs: SIGN_IN_WITH_X });
    if (answer.status !== 402) {
      // The proof goes only to its own server.
      const next = await followRedirect(answer, request, url, "redirected");
      if (!next) return answer;
      answer = await send(fetcher, next, next.url);
      // Payment would send the caller's own method and body there.
      if (answer.status === 402 && next.method !== request.method)
        throw new PaymentError("redirected", "The sign-in was redirected.");
      return answer;
    }
    if (!outdated.includes((await readCode(answer)) ?? "")) break;
  }
  return answer;
}

async function signChallenge(info: SignInInfo, { account, chainId, sign }: Returning): Promise<string> {
  const name = caipOf(chainId);
  let signature: string;
  try {
    signature = await sign(signInText(info, account, name), account);
  } catch (cause) {
    throw new PaymentError("signing_failed", "The sign-in was not signed.", { cause });
  }
  const proof: SignInProof = {
    ...info,
    ...{ address: account, chainId: name, type: SIGN_IN_TYPE },
    signature: String(signature).toLowerCase(),
  };
  return encodeBase64Json(proof);
}
