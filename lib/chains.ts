/** Id of Hive's main chain. */
export const MAINNET_CHAIN_ID = `beeab0de${"0".repeat(56)}`;
/** The main chain's CAIP-2 name, which version 2 of the payment protocol requires. */
export const MAINNET_CAIP = "hive:beeab0de000000000000000000000000";
/** Public nodes of the main chain, in order of preference. */
export const MAINNET_NODES: readonly string[] = [
  "https://api.hive.blog",
  "https://api.openhive.network",
  "https://api.deathwing.me",
  "https://techcoderx.com",
  "https://rpc.mahdiyari.info",
];
/** Id of the sandbox's own chain. Signatures for it are worthless on any other chain. */
export const SANDBOX_CHAIN_ID = "239542e12b88d7b1a669ea1d141208f1c50cb31d23b9431b16ff7703f342c654";

/** Our network name, that of existing Hive clients, and that of version 2. */
const MAINNET_NAMES = ["chain:mainnet", "hive:mainnet", MAINNET_CAIP] as const;
const SANDBOX_NAME = "chain:sandbox";

/** Returns whether a text is the id of a chain: 64 lower-case hex digits. */
export function isChainId(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
}

/** Returns every network name of the chain, its usual one first. No two chains share a name. */
export function networkNames(chainId: string): readonly [string, ...string[]] {
  if (chainId === MAINNET_CHAIN_ID) return MAINNET_NAMES;
  return [chainId === SANDBOX_CHAIN_ID ? SANDBOX_NAME : `hive:${chainId.slice(0, 32)}`];
}

/** Returns the CAIP-2 name of a chain. */
export const caipOf = (chainId: string): string => `hive:${chainId.slice(0, 32)}`;

/** Returns a network's name in version 2, which requires the CAIP-2 name of the main chain. */
export const version2NameOf = (network: string): string =>
  chainIdOf(network) === MAINNET_CHAIN_ID ? MAINNET_CAIP : network;

/** Returns the chain id of a network name, or `null` if the name alone does not identify a chain. */
export function chainIdOf(network: string): string | null {
  return [MAINNET_CHAIN_ID, SANDBOX_CHAIN_ID].find((id) => networkNames(id).includes(network)) ?? null;
}

/** Returns whether a text can name a chain of Hive. */
export function isNetworkName(text: unknown): text is string {
  return typeof text === "string" && (chainIdOf(text) !== null || /^hive:[0-9a-f]{32}$/.test(text));
}

/**
 * Returns the network name of the chain: `network` if it is one of the chain's names, or the usual one by default.
 * @throws TypeError if `network` names another chain, or none
 */
export function fitNetwork(network: string | undefined, chainId: string): string {
  const names = networkNames(chainId);
  if (network === undefined) return names[0];
  if (!names.includes(network))
    throw new TypeError(`network must be ${names.join(" or ")} on this chain, or be left out`);
  return network;
}

/**
 * Returns the names under which an offer of version 1 is listed, so that every existing client finds one it supports.
 */
export function offeredNames(network: string): readonly string[] {
  const [ours, theirs] = MAINNET_NAMES;
  return chainIdOf(network) === MAINNET_CHAIN_ID ? [...new Set([network, ours, theirs])] : [network];
}

/**
 * Returns the host and port of a node's address. Addresses that share both belong to one node, whatever their
 * paths.
 */
export function originOf(url: string): string {
  const { hostname, port } = new URL(url);
  const name = hostname.replace(/\.$/, "");
  return port === "" ? name : `${name}:${port}`;
}

/** Returns the first address of each origin, in the given order. */
export function distinctNodes(urls: readonly string[]): string[] {
  return [...new Map([...urls].reverse().map((url) => [originOf(url), url])).values()].reverse();
}
