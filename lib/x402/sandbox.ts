import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { networkNames, SANDBOX_CHAIN_ID } from "../chains.ts";
import { isAccountName } from "../hive/account-name.ts";
import { encodeWif } from "../hive/private-key.ts";
import { assertKnown, forEveryPart, isWebAddress } from "./check-options.ts";

/** The password from which the sandbox derives every key, with the account's name and the key's role. */
const PASSWORD = "sandbox";

export type SandboxOptions = {
  /** The account that pays (default `alice`); `bob`, `carol` and `erin` have HBD too. */
  account?: string;
  /** The address of `npm run quickstart` (default `http://127.0.0.1:3000`). */
  gateway?: string;
  /**
   * The address of the sandbox's chain, if port 8090 was taken (default `http://127.0.0.1:8090`): `chain.url`
   * at `/api/sandbox`.
   */
  node?: string;
};

const known = {
  account: true,
  gateway: true,
  node: true,
} as const satisfies Record<keyof SandboxOptions, true>;

/** Options for payers and sellers on the sandbox; each part of the library uses some of them. */
export type SandboxSettings = {
  account: string;
  /** The account's key, which is worthless on any other chain. */
  activeKey: string;
  network: string;
  chainId: string;
  nodes: readonly string[];
  facilitatorUrl: string;
};

/**
 * Returns the options for `npm run quickstart`: network, nodes, facilitator, and an account with its key. Spread it into
 * the options of a paying client, a paywall or a facilitator, and remove it to go live.
 * @throws TypeError for invalid options
 * @example const payingFetch = createPayingFetch({ ...sandbox(), maxPayment: "0.100 HBD" });
 * app.get("/report", paywall({ ...sandbox(), amount: "0.050 HBD", receivingAccount: "shop" }), report);
 */
export function sandbox(options: SandboxOptions = {}): SandboxSettings {
  assertKnown(options, known);
  const { account = "alice", gateway = "http://127.0.0.1:3000", node = "http://127.0.0.1:8090" } = options;
  if (!isAccountName(account)) throw new TypeError("account must be a chain account name");
  if (!isWebAddress(gateway) || !isWebAddress(node))
    throw new TypeError("gateway and node must be addresses");
  return forEveryPart({
    account,
    activeKey: encodeWif(sha256(utf8ToBytes(`${account}active${PASSWORD}`))),
    network: networkNames(SANDBOX_CHAIN_ID)[0],
    chainId: SANDBOX_CHAIN_ID,
    nodes: [node],
    facilitatorUrl: new URL("/api/x402", gateway).href,
  });
}
