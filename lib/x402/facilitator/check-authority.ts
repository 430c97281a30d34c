import { MAINNET_CHAIN_ID, SANDBOX_CHAIN_ID } from "../../chains.ts";
import { type ChainAccount, readAccounts } from "../../hive/accounts.ts";
import { type Authority, isSatisfied } from "../../hive/authority.ts";
import type { ChainReader } from "../../hive/chain-state.ts";
import { type Packing, signingDigest } from "../../hive/packing.ts";
import { recoverPublicKey } from "../../hive/recover-key.ts";
import { isChainCanonical } from "../../hive/signature.ts";
import type { SignedTransfer } from "../transfer.ts";

const MAX_LOADED = 200;

export type AuthorityFault = "signature_invalid" | "authority_not_satisfied" | "wrong_chain";

/** Where a wallet that is set to the wrong chain most likely is. */
const knownChains = [MAINNET_CHAIN_ID, SANDBOX_CHAIN_ID];

/**
 * Finds the packing under which the signatures satisfy the payer's active authority, by the chain's rules:
 * the owner key does not stand in, other accounts count to depth 2, keys that are not needed are no fault,
 * a key that signed twice is. `wrong_chain` for signatures that would do on another known chain.
 */
export async function findPacking(
  chain: ChainReader,
  chainId: string,
  transfer: SignedTransfer,
  payer: ChainAccount,
): Promise<Packing | AuthorityFault> {
  const { active } = payer;
  // Only what needs no key can be satisfied under both; the chain takes its newer packing then.
  const isOpen = active.weight_threshold === 0 || active.account_auths.length > 0;
  const packings: Packing[] = isOpen ? ["hf26", "legacy"] : ["legacy", "hf26"];
  const load = createLoader(chain, active);
  const findOn = async (id: string): Promise<Packing | AuthorityFault> => {
    for (const packing of packings) {
      const keys = recoverKeys(signingDigest(transfer.packed[packing], id), transfer.signatures);
      if (!keys) return "signature_invalid";
      if (await isSatisfied(active, keys, load)) return packing;
    }
    return "authority_not_satisfied";
  };
  const found = await findOn(chainId);
  if (packings.some((packing) => packing === found)) return found;
  for (const id of knownChains) {
    if (id === chainId) continue;
    const there = await findOn(id);
    if (packings.some((packing) => packing === there)) return "wrong_chain";
  }
  return found;
}

/** The keys behind the signatures; `null` when one is of a form that the chain refuses, or two are of one key. */
function recoverKeys(digest: Uint8Array, signatures: readonly Uint8Array[]): Uint8Array[] | null {
  const keys = signatures.flatMap((signature) => {
    const key = isChainCanonical(signature) ? recoverPublicKey(digest, signature) : null;
    return key ? [key] : [];
  });
  const distinct = new Set(keys.map((key) => Buffer.from(key).toString("hex")));
  return distinct.size === signatures.length ? keys : null;
}

/** Loads what a whole authority refers to in at most two reads, however many accounts it names. */
function createLoader(chain: ChainReader, root: Authority) {
  let loading: Promise<Map<string, ChainAccount>> | null = null;
  const namesIn = (authorities: Iterable<Authority>) => [
    ...new Set([...authorities].flatMap(({ account_auths }) => account_auths.map(([name]) => name))),
  ];
  const loadAll = async () => {
    const first = await readAccounts(chain, namesIn([root]).slice(0, MAX_LOADED));
    const further = namesIn([...first.values()].map(({ active }) => active)).filter(
      (name) => !first.has(name),
    );
    const second = await readAccounts(chain, further.slice(0, MAX_LOADED));
    return new Map([...second, ...first]);
  };
  return async (name: string): Promise<Authority | null> => {
    loading ??= loadAll();
    return (await loading).get(name)?.active ?? null;
  };
}
