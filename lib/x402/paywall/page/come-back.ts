import { encodeBase64Json, HEADER_REDIRECT } from "../../header.ts";
import { SIGN_IN_WITH_X, type SignInInfo, type SignInProof, signInText } from "../../sign-in-text.ts";
import type { PaymentRequired } from "../../types.ts";
import { askForText } from "./ask-keychain.ts";
import { texts } from "./data.ts";
import { say } from "./elements.ts";

/** A challenge is valid for five minutes, some of which the answer needs. */
const LEFT_MS = 285_000;

/** The extension as the server announces it. */
type Extension = { info: SignInInfo; supportedChains: Array<{ chainId: string; type: string }> };

/**
 * Requests an account's earlier purchase with a signature of its posting key. Returns the server's answer,
 * which is a 402 if the account has not bought it.
 * @throws Error with a sentence for the account's owner; the TypeError of `fetch`
 */
export async function comeBack(account: string, isIdle: () => boolean): Promise<Response> {
  const offer = await ask({});
  if (offer.status !== 402) return offer;
  const { extensions } = (await offer.json()) as PaymentRequired;
  const { info, supportedChains } = (extensions?.[SIGN_IN_WITH_X] ?? {}) as Partial<Extension>;
  const [chain] = supportedChains ?? [];
  if (!info || !chain) throw new Error(texts.changed);
  const text = signInText(info, account, chain.chainId);
  const signature = await askForText(text, { account, leftMs: LEFT_MS, isIdle });
  say(texts.signingIn);
  const proof: SignInProof = { ...info, ...chain, address: account, signature: signature.toLowerCase() };
  return ask({ [SIGN_IN_WITH_X]: encodeBase64Json(proof) });
}

const ask = (headers: Record<string, string>): Promise<Response> =>
  fetch(location.href, {
    headers: {
      ...headers,
      [HEADER_REDIRECT]: "reveal",
      accept: "application/json, text/html;q=0.9, */*;q=0.8",
    },
    cache: "no-store",
    redirect: "error",
  });
