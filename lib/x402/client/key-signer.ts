import { type ChainOptions, readChain } from "./chain.ts";
import { createSigner, type SignTransaction } from "./signer.ts";

/**
 * Creates a `signTransaction` that signs with a private active key, for programs that show or record what is
 * signed. Programs that only have a key pass `activeKey` instead.
 * @throws TypeError for a key that is not in WIF, and for an invalid chain
 * @example const sign = createKeySigner("5J...");
 * const pay = createPayingFetch({ account: "alice", signTransaction: (transfer) => (log(transfer), sign(transfer, "alice")) });
 */
export function createKeySigner(
  activeKey: string | undefined,
  chain: Pick<ChainOptions, "chainId" | "network"> = {},
): SignTransaction {
  const sign = createSigner("", { activeKey }, readChain(chain).chainId);
  return (transfer) => sign(transfer);
}
