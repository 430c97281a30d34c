/** Id of Hive's main chain. */
export const MAINNET_CHAIN_ID = `beeab0de${"0".repeat(56)}`;
/** Its name in the form of CAIP-2, which version 2 of the payment protocol asks for. */
export const MAINNET_CAIP = "hive:beeab0de000000000000000000000000";
/** Public nodes of it, in order of preference. */
export const MAINNET_NODES: readonly string[] = [
  "https://api.hive.blog",
  "https://api.openhive.network",
  "https://api.deathwing.me",
  "https://techcoderx.com",
  "https://rpc.mahdiyari.info",
];
/** Id of the sandbox's own chain: what is signed for it is worth nothing on any other chain. */
export const SANDBOX_CHAIN_ID = "239542e12b88d7b1a669ea1d141208f1c50cb31d23b9431b16ff7703f342c654";

/** Our name, that of existing Hive clients, and that of version 2. */
const MAINNET_NAMES = ["chain:mainnet", "hive:mainnet", MAINNET_CAIP] as const;
const SANDBOX_NAME = "chain:sandbox";

/** Returns whether a text is the id of a chain: 64 lower-case hex digits. */
export function isChainId(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
}

/** Every network name of the chain, its usual one first. No two chains share a name. */
export function networkNames(chainId: string): readonly [string, ...string[]] {
  if (chainId === MAINNET_CHAIN_ID) return MAINNET_NAMES;
  return [chainId === SANDBOX_CHAIN_ID ? SANDBOX_NAME : `hive:${chainId.slice(0, 32)}`];
}

/** The id of the chain that a network name stands for; `null` where the name does not say enough. */
export function chainIdOf(network: string): string | null {
  return [MAINNET_CHAIN_ID, SANDBOX_CHAIN_ID].find((id) => networkNames(id).includes(network)) ?? null;
}

/** Returns whether a text can name a chain of Hive. */
export function isNetworkName(text: unknown): text is string {
  return typeof text === "string" && (chainIdOf(text) !== null || /^hive:[0-9a-f]{32}$/.test(text));
}

/**
 * The network name of the chain: `network`, where it is one of the chain's, or else the usual one.
 * @throws TypeError when `network` is the name of another chain, or of none.
 */
export function fitNetwork(network: string | undefined, chainId: string): string {
  const names = networkNames(chainId);
  if (network === undefined) return names[0];
  if (!names.includes(network))
    throw new TypeError(`network must be ${names.join(" or ")} on this chain, or be left out`);
  return network;
}

/** The names under which an offer of version 1 is listed, so that every existing client finds one that it knows. */
export function offeredNames(network: string): readonly string[] {
  const [ours, theirs] = MAINNET_NAMES;
  return chainIdOf(network) === MAINNET_CHAIN_ID ? [...new Set([network, ours, theirs])] : [network];
}

/** Host and port of a node's address: two addresses with the same are one node, whatever their paths. */
export function originOf(url: string): string {
  const { hostname, port } = new URL(url);
  const name = hostname.replace(/\.$/, "");
  return port === "" ? name : `${name}:${port}`;
}

/** The addresses in their order, the first one of each origin. */
export function distinctNodes(urls: readonly string[]): string[] {
  return [...new Map([...urls].reverse().map((url) => [originOf(url), url])).values()].reverse();
}
