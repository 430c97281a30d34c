/** Id of Hive's main chain. */
export const MAINNET_CHAIN_ID = `beeab0de${"0".repeat(56)}`;
/** Its name in the form of CAIP-2, which version 2 of the protocol asks for. */
export const MAINNET_CAIP = "hive:beeab0de000000000000000000000000";
/** Public nodes of it, in order of preference. */
export const MAINNET_NODES: readonly string[] = [
  "https://api.hive.blog",
  "https://api.openhive.network",
  "https://api.deathwing.me",
  "https://techcoderx.com",
  "https://rpc.mahdiyari.info",
];
/** Our name, and that of existing Hive clients. */
const MAINNET_NAMES = ["chain:mainnet", "hive:mainnet", MAINNET_CAIP];

/** What a chain's network is called when nobody says: only mainnet is `chain:mainnet`. */
export function defaultNetwork(chainId = MAINNET_CHAIN_ID): string {
  return chainId === MAINNET_CHAIN_ID ? "chain:mainnet" : "chain:sandbox";
}

/** Every name under which a network is accepted: mainnet has three, another chain only its own. */
export function networkNames(network: string, chainId: string): readonly string[] {
  const isMainnet = chainId === MAINNET_CHAIN_ID || MAINNET_NAMES.includes(network);
  return isMainnet ? [...new Set([network, ...MAINNET_NAMES])] : [network];
}
