import { caipOf } from "../../chains.ts";
import { hasCode } from "../../errors.ts";
import { isWebAddress } from "../check-options.ts";
import { SIGN_IN_TYPE, SIGN_IN_WITH_X, type SignInInfo, signInText } from "../sign-in-text.ts";
import { guardStore } from "./claim-store.ts";
import { type Unavailable, unavailable } from "./decision.ts";
import type { OfferClock } from "./offer-clock.ts";
import type { PaywallSettings } from "./options.ts";
import type { IsSignedByAccount } from "./posting-account.ts";
import { readSignIn } from "./read-sign-in.ts";
import { isSignInNonce, signInNonce } from "./sign-in-nonce.ts";

const VALID_SECONDS = 300;
/** Maximum difference between the clocks of servers that share a secret. */
const CLOCK_SKEW_SECONDS = 60;
const STATEMENT = "Come back to what this account has bought.";
const UNAVAILABLE_SECONDS = 2;

const schema = {
  type: "object",
  required: [
    "domain",
    "address",
    "uri",
    "version",
    "chainId",
    "type",
    "nonce",
    "issuedAt",
    "expirationTime",
    "signature",
  ],
} as const;

/** The requested resource. */
type Place = {
  /** The resource's address, without the query. */
  address: string;
  /** The method and the whole address. */
  place: string;
};

/** The account that a sign-in proves. */
type Proven = {
  account: string;
  /** Uses up the sign-in; `false` if it was used before. @throws ClaimStoreError */
  use(): Promise<boolean>;
};

/** Lets accounts return to their purchases by a signature of their posting key. */
export type SignIn = {
  /** Returns the extension that a 402 announces, or `null` if no account can sign in. */
  announce(asked: Place): Record<string, unknown> | null;
  /** Returns the account that a header proves for a resource, or the code of its first fault. */
  check(header: string, asked: Place): Promise<Proven | string | Unavailable>;
};

/** Creates the sign-in of a paywall. */
export function createSignIn(settings: PaywallSettings<never>, clock: OfferClock): SignIn {
  const chain = () => {
    const { chainId, nodes } = settings.pageChain.known();
    return chainId === null || nodes.length === 0 ? null : { name: caipOf(chainId), nodes };
  };

  let loaded: { nodes: readonly string[]; check: IsSignedByAccount } | undefined;
  /** Loads the curve with the first sign-in, because most servers see none. */
  const loadCheck = async (nodes: readonly string[]): Promise<IsSignedByAccount> => {
    const { createPostingCheck } = await import("./posting-account.ts");
    if (loaded?.nodes !== nodes) loaded = { nodes, check: createPostingCheck(nodes) };
    return loaded.check;
  };

  return {
    announce(asked) {
      const known = settings.access && isOwnAddress(settings, asked) ? chain() : null;
      if (!known) return null;
      const issuedAt = new Date(clock.latest()).toISOString();
      const nonce = signInNonce(settings.secrets()[0], { place: asked.place, issuedAt });
      return {
        [SIGN_IN_WITH_X]: {
          info: infoOf(asked, { nonce, issuedAt }),
          supportedChains: [{ chainId: known.name, type: SIGN_IN_TYPE }],
          schema,
        },
      };
    },

    async check(header, asked) {
      const proof = readSignIn(header);
      if (!proof) return "invalid_siwx_header";
      const { domain, uri, chainId, type, nonce, issuedAt, address: account, signature } = proof;
      if (domain !== domainOf(asked) || !isOwnAddress(settings, asked)) return "invalid_siwx_domain_mismatch";
      if (uri !== asked.address) return "invalid_siwx_uri_mismatch";
      const known = chain();
      if (chainId !== known?.name || type !== SIGN_IN_TYPE) return "invalid_siwx_unsupported_chain";
      if (!isSignInNonce(settings.secrets(), nonce, { place: asked.place, issuedAt }))
        return "invalid_siwx_nonce";
      const secondsLeft = secondsUntilEnd(issuedAt, clock.latest());
      if (secondsLeft <= 0) return "invalid_siwx_expired";
      if (secondsLeft > VALID_SECONDS + CLOCK_SKEW_SECONDS) return "invalid_siwx_issued_at_in_future";
      try {
        const isSigned = await loadCheck(known.nodes);
        const text = signInText(infoOf(asked, { nonce, issuedAt }), account, known.name);
        if (!(await isSigned({ account, text, signature }))) return "invalid_siwx_signature";
      } catch (error) {
        if (!hasCode(error, "chain_unavailable")) throw error;
        return unavailable("sign_in_unavailable", UNAVAILABLE_SECONDS);
      }
      return {
        account,
        use: () =>
          guardStore(settings.usedNonces).setIfAbsent(
            `x402:sign-in:${nonce}`,
            "used",
            Math.ceil(secondsLeft) + CLOCK_SKEW_SECONDS,
          ),
      };
    },
  };
}

/** Returns the fields of a challenge. The server compares the signed text with them, not with the header's copy. */
function infoOf(
  { address }: Place,
  { nonce, issuedAt }: { nonce: string; issuedAt: string },
): SignInInfo & { expirationTime: string } {
  return {
    domain: domainOf({ address }),
    uri: address,
    version: "1",
    nonce,
    issuedAt,
    expirationTime: new Date(endOf(issuedAt)).toISOString(),
    statement: STATEMENT,
    resources: [address],
  };
}

const domainOf = ({ address }: Pick<Place, "address">) => new URL(address).host;

const endOf = (issuedAt: string) => Date.parse(issuedAt) + VALID_SECONDS * 1000;

const secondsUntilEnd = (issuedAt: string, nowMs: number) => (endOf(issuedAt) - nowMs) / 1000;

const ownMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Returns whether an address is certainly this server's. Without a `publicUrl`, the address comes from the
 * request, in which another site could name itself and pass on its visitors' signatures; no other site is on
 * this machine.
 */
function isOwnAddress({ publicUrl }: PaywallSettings<never>, { address }: Place): boolean {
  if (!isWebAddress(address)) return false;
  return publicUrl !== undefined || ownMachine.test(new URL(address).hostname);
}
