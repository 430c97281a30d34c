import { bytesToHex } from "@noble/hashes/utils.js";
import { isSatisfied } from "../../../lib/hive/authority.ts";
import { encodePublicKey } from "../../../lib/hive/public-key.ts";
import { recoverPublicKey } from "../../../lib/hive/recover-key.ts";
import { isChainCanonical } from "../../../lib/hive/signature.ts";
import type { Operation } from "../../../lib/hive/transaction.ts";
import { assertion, ChainFault, duplicateSignature, missingAuthority, unknownKey } from "../errors.ts";
import type { SignedTransaction, State } from "../types.ts";

type SigningRole = "owner" | "active" | "posting";
type Need = { account: string; role: SigningRole };

/** The authorities that a transaction needs, active ones first as the chain checks them. */
export function requiredAuthorities({ operations }: SignedTransaction): Need[] {
  const needs = new Map<string, Need>();
  for (const operation of operations)
    for (const need of needsOf(operation)) needs.set(`${need.role} ${need.account}`, need);
  const order: SigningRole[] = ["active", "owner", "posting"];
  return [...needs.values()].sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role));
}

function needsOf(operation: Operation): Need[] {
  switch (operation.type) {
    case "transfer":
      return [{ account: operation.from, role: "active" }];
    case "account_create":
      return [{ account: operation.creator, role: "active" }];
    case "account_update":
      return [{ account: operation.account, role: operation.owner ? "owner" : "active" }];
    case "account_update2": {
      const { account, owner, active, posting, memo_key, json_metadata } = operation;
      const touchesActive = active || posting || memo_key || json_metadata !== "";
      return [{ account, role: owner ? "owner" : touchesActive ? "active" : "posting" }];
    }
    case "custom_json":
      return [
        ...operation.required_auths.map((account) => ({ account, role: "active" as const })),
        ...operation.required_posting_auths.map((account) => ({ account, role: "posting" as const })),
      ];
  }
}

/**
 * The keys that signed `digest`.
 * @throws ChainFault for a signature in a form that the chain refuses, or two of one key.
 */
export function recoverKeys(digest: Uint8Array, signatures: readonly Uint8Array[]): Uint8Array[] {
  const keys = new Map<string, Uint8Array>();
  for (const signature of signatures) {
    if (!isChainCanonical(signature)) throw assertion("is_canonical(c)", "signature is not canonical");
    const key = recoverPublicKey(digest, signature);
    if (!key) throw unrecoverable();
    const text = bytesToHex(key);
    if (keys.has(text)) throw duplicateSignature();
    keys.set(text, key);
  }
  return [...keys.values()];
}

function unrecoverable(): ChainFault {
  return new ChainFault({
    rpcCode: -32003,
    code: 0,
    name: "exception",
    what: "unspecified",
    format: "unable to reconstruct public key from signature",
  });
}

/**
 * Checks that `keys` satisfy every authority that the transaction needs, in the state before it. Each role stands for
 * itself: owner keys don't do for active, nor active ones for posting.
 * @throws ChainFault for an unknown signer and for the first authority that is not satisfied.
 */
export async function checkAuthorities(
  transaction: SignedTransaction,
  keys: readonly Uint8Array[],
  state: State,
  suffix = "",
): Promise<void> {
  for (const { account, role } of requiredAuthorities(transaction)) {
    const signer = state.accounts.get(account);
    if (!signer) throw unknownKey(account);
    const load = async (name: string) => state.accounts.get(name)?.[role] ?? null;
    if (await isSatisfied(signer[role], keys, load)) continue;
    const { owner, [role]: auth } = signer;
    throw missingAuthority(role, { id: account, auth, owner, sigs: keys.map(encodePublicKey) }, suffix);
  }
}
