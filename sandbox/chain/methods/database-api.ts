import { isSatisfied } from "../../../lib/hive/authority.ts";
import { decodePublicKey } from "../../../lib/hive/public-key.ts";
import type { Chain } from "../chain.ts";
import { assertion, badType, unknownKey } from "../errors.ts";
import { recoverKeys } from "../ledger/authorities.ts";
import { verifyAuthority } from "../ledger/examine.ts";
import { readHex, readList, readObject, readText } from "../parse/fields.ts";
import { parseTransaction } from "../parse/transaction.ts";
import { renderConfig, renderGlobalProperties, renderVersion } from "../render/chain-properties.ts";
import { findAccounts, namesFrom } from "./accounts.ts";
import { type Api, readLimit, readNames } from "./method.ts";
import { toHex } from "./transactions.ts";

const roles = ["owner", "active", "posting"] as const;

/** The newer API: named arguments, amounts as objects, operations with a type. */
export const databaseApi: Api = {
  get_dynamic_global_properties: (_, { chain, head }) => renderGlobalProperties(chain, head, "nai"),
  get_version: (_, { chain }) => renderVersion(chain),
  get_config: (_, { chain }) => renderConfig(chain),
  find_witnesses: () => ({ witnesses: [] }),
  find_accounts(params, context) {
    return { accounts: findAccounts(context, readNames(readObject(params).accounts), "nai") };
  },
  list_accounts(params, context) {
    const { start, limit } = readObject(params);
    const names = namesFrom(context, typeof start === "string" ? start : "", readLimit(limit, 1000, 1000));
    return { accounts: findAccounts(context, names, "nai") };
  },
  async verify_authority(params, { chain }) {
    const { trx, pack } = readObject(params);
    const packing = pack === "hf26" ? "hf26" : "legacy";
    const transaction = parseTransaction(trx, chain.symbols);
    await verifyAuthority(transaction, packing, { ...chain, state: chain.pending() });
    return { valid: true };
  },
  async verify_account_authority(params, { chain }) {
    const { account, signers, level = "active" } = readObject(params);
    const role = roles.find((one) => one === level);
    if (!role) throw badType("Invalid cast from type to authority_level");
    const keys = readNames(signers).map(readKey);
    return { valid: await satisfies(chain, readText(account), role, keys) };
  },
  async verify_signatures(params, { chain }) {
    const fields = readObject(params);
    const digest = readHex(fields.hash, 32);
    const keys = recoverKeys(
      digest,
      readList(fields.signatures).map((signature) => readHex(signature, 65)),
    );
    const needs = roles.flatMap((role) =>
      readNames(fields[`required_${role}`]).map((name) => ({ role, name })),
    );
    const answers = await Promise.all(needs.map(({ role, name }) => satisfies(chain, name, role, keys)));
    return { valid: answers.every(Boolean) };
  },
  get_transaction_hex(params, { chain }) {
    return { hex: toHex(chain, parseTransaction(readObject(params).trx, chain.symbols), "hf26") };
  },
};

function readKey(text: string): Uint8Array {
  try {
    return decodePublicKey(text);
  } catch {
    throw assertion("b58_with_prefix.substr( 0, prefix_len ) == prefix", "Invalid public key");
  }
}

function satisfies(chain: Chain, name: string, role: (typeof roles)[number], keys: readonly Uint8Array[]) {
  const { accounts } = chain.pending();
  const account = accounts.get(name);
  if (!account) throw unknownKey(name);
  return isSatisfied(account[role], keys, async (other) => accounts.get(other)?.[role] ?? null);
}
