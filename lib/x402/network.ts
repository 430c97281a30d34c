/** Id of Hive's main chain. */
export const MAINNET_CHAIN_ID = `beeab0de${"0".repeat(56)}`;
/** Our name, the name of existing Hive clients, and the CAIP-2 form. */
const MAINNET_NAMES = ["chain:mainnet", "hive:mainnet", "hive:beeab0de000000000000000000000000"];

/** What a chain's network is called when nobody says: only mainnet is `chain:mainnet`. */
export function defaultNetwork(chainId = MAINNET_CHAIN_ID): string {
  return chainId === MAINNET_CHAIN_ID ? "chain:mainnet" : "chain:sandbox";
}

/** Every name under which a network is accepted: mainnet has three, another chain only its own. */
export function networkNames(network: string, chainId: string): readonly string[] {
  const isMainnet = chainId === MAINNET_CHAIN_ID || MAINNET_NAMES.includes(network);
  return isMainnet ? [...new Set([network, ...MAINNET_NAMES])] : [network];
}
