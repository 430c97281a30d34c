import type { Packing } from "../../../lib/hive/packing.ts";
import type { Operation, UnsignedTransaction } from "../../../lib/hive/transaction.ts";
import { deriveAccount } from "../../../sandbox/accounts.ts";
import type { Form } from "../../../sandbox/chain/render/account.ts";
import { secretOf, signTransaction, transferOf } from "../../harness/sign-transaction.ts";
import { callRpc, type RpcAnswer, startSandboxChain } from "../../harness/start-sandbox-chain.ts";

export type Case = readonly [name: string, ask: () => Promise<unknown>];
export type Keys = readonly Uint8Array[];

const symbols = { hbd: "TBD", hive: "TESTS" } as const;
const TEST_NETWORK_ID = "18dcf0a285365fc58b71f18b3d3fec954aa0c141c44e4e5cb4cf777b9eab274e";

export const active = (name: string) => secretOf(name, "active");
export const publicKey = (name: string, role: "owner" | "active" | "posting" | "memo" = "active") =>
  deriveAccount(name).keys[role].publicKey;

type SendOptions = {
  keys?: Keys;
  packing?: Packing;
  form?: Form;
  header?: Partial<UnsignedTransaction>;
  /** Changes the JSON after it was signed. */
  change?: (json: Record<string, unknown> & { signatures: string[] }) => void;
};

/**
 * Opens the network behind the recorded answers as an embedded chain: one rich account, and no irreversible
 * blocks.
 */
export async function openStage() {
  const chain = await startSandboxChain({
    chainId: TEST_NETWORK_ID,
    symbols,
    isBare: true,
    seed: { accounts: [deriveAccount("initminer", "30000000.000 HBD")], communities: [] },
  });
  await chain.setLag(1_000_000);
  await chain.produceBlocks(2);

  const ask = (method: string, params: unknown) => callRpc(chain.url, method, params);
  const post = async (body: string) => {
    const response = await fetch(chain.url, { method: "POST", body });
    return { status: response.status, body: await response.text() };
  };

  const sign = async (
    operations: readonly Operation[],
    { keys = [active("alice")], change, ...rest }: SendOptions = {},
  ) => {
    const signed = await signTransaction(chain, operations, { keys, symbols, ...rest });
    change?.(signed.json);
    return signed;
  };
  const broadcast = (json: unknown) => ask("condenser_api.broadcast_transaction", [json]);
  const send = async (operations: readonly Operation[], options?: SendOptions): Promise<RpcAnswer> =>
    broadcast((await sign(operations, options)).json);
  /** Pays 0.050 from alice to bob, with a different memo for each case. */
  const pay = (memo: string, options?: SendOptions) => send([transferOf("alice", "bob", 50, memo)], options);

  return { ...chain, aliceKey: publicKey("alice"), ask, post, sign, broadcast, send, pay };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;
