/** What a payer has in hand after paying. */
export type Receipt = {
  payer: string;
  txId: string;
  blockNum: number | null;
  network: string;
  /** Such as "0.050 HBD". */
  amount: string;
};

const mainnet = ["chain:mainnet", "hive:mainnet", "hive:beeab0de000000000000000000000000"];

/** The transaction in a public block explorer; null off the main chain, where none knows it. */
export function explorerLink({ network, txId }: Receipt): string | null {
  return mainnet.includes(network) && /^[0-9a-f]{40}$/.test(txId) ? `https://hivehub.dev/tx/${txId}` : null;
}
