import { callRpc } from "../../harness/start-sandbox-chain.ts";
import { readSandbox } from "./api-person.ts";

/** Returns a caller of the chain of a sandbox's server, by which wallets send transfers. */
export async function openChain(url: string) {
  const { chain } = await readSandbox(url);
  if (!chain) throw new Error("the server has no chain of its own");
  return {
    chainId: chain.chainId,
    async call(method: string, params: unknown): Promise<unknown> {
      const { result, error } = await callRpc(chain.url, method, params);
      if (error) throw new Error(error.message);
      return result;
    },
  };
}
