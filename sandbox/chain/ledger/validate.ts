import { bytesToHex } from "@noble/hashes/utils.js";
import { isAccountName } from "../../../lib/hive/account-name.ts";
import { type Authority, isSatisfied } from "../../../lib/hive/authority.ts";
import { encodePublicKey } from "../../../lib/hive/public-key.ts";
import { recoverPublicKey } from "../../../lib/hive/recover-key.ts";
import { isChainCanonical, type Operation } from "../../../lib/hive/transaction.ts";
import { assertion, ChainFault, duplicateSignature, missingAuthority, unknownKey } from "../errors.ts";
import type { SignedTransaction, State } from "../types.ts";

const MAX_MEMO_BYTES = 2048;
const MAX_CUSTOM_ID_BYTES = 32;
const MAX_CUSTOM_JSON_BYTES = 8192;
const MAX_MEMBERS = 40;
const loneSurrogate = /\p{Surrogate}/u;

/** Checks a transaction without any state, as the chain does. */
export function validateTransaction(transaction: SignedTransaction): void {
  if (transaction.operations.length === 0)
    throw assertion("operations.size() > 0", "A transaction must have at least one operation");
  for (const operation of transaction.operations) validateOperation(operation);
}

function validateOperation(operation: Operation): void {
  switch (operation.type) {
    case "transfer":
      validateTransfer(operation);
      return;
    case "account_create":
      validateCreation(operation);
      return;
    case "account_update":
    case "account_update2":
      validateUpdate(operation);
      return;
    case "custom_json":
      validateCustomJson(operation);
      return;
  }
}

function validateTransfer({ from, to, amount, memo }: Extract<Operation, { type: "transfer" }>): void {
  validateName(from);
  validateName(to);
  if (amount.symbol === "VESTS")
    throw assertion("amount.symbol.is_vesting() == false", "Transfer of Vests is not allowed.");
  if (amount.amount <= 0n)
    throw assertion('amount.amount > 0 && "Cannot transfer a negative amount (aka: stealing)"');
  if (Buffer.byteLength(memo) >= MAX_MEMO_BYTES)
    throw assertion('memo.size() < HIVE_MAX_MEMO_SIZE && "Transfer memo is too large"');
  if (loneSurrogate.test(memo)) throw assertion("fc::is_utf8( memo )", "Memo is not UTF8");
}

function validateCreation(operation: Extract<Operation, { type: "account_create" }>): void {
  validateName(operation.creator);
  validateName(operation.new_account_name);
  if (operation.fee.symbol !== "HIVE")
    throw assertion("is_asset_type( fee, HIVE_SYMBOL )", "Account creation fee must be HIVE");
  if (operation.fee.amount < 0n)
    throw assertion("fee >= asset( 0, HIVE_SYMBOL )", "Account creation fee cannot be negative");
  for (const authority of [operation.owner, operation.active, operation.posting])
    validateAuthority(authority);
  validateMetadata(operation.json_metadata);
}

function validateUpdate(operation: Extract<Operation, { type: "account_update" | "account_update2" }>): void {
  validateName(operation.account);
  for (const authority of [operation.owner, operation.active, operation.posting])
    if (authority) validateAuthority(authority);
  validateMetadata(operation.json_metadata);
  if (operation.type === "account_update2") validateMetadata(operation.posting_json_metadata);
}

function validateAuthority({ account_auths, key_auths }: Authority): void {
  for (const [name] of account_auths) validateName(name);
  const members = account_auths.length + key_auths.length;
  if (members > MAX_MEMBERS)
    throw assertion(
      "size <= HIVE_MAX_AUTHORITY_MEMBERSHIP",
      "Authority membership exceeded. Max: 40 Current: <n>",
      {
        n: members,
      },
    );
}

function validateMetadata(text: string): void {
  if (text !== "" && !isJson(text))
    throw assertion("fc::json::is_valid(json_metadata)", "JSON Metadata not valid JSON");
}

function validateCustomJson(operation: Extract<Operation, { type: "custom_json" }>): void {
  const signers = [...operation.required_auths, ...operation.required_posting_auths];
  if (signers.length === 0)
    throw assertion(
      "( required_auths.size() + required_posting_auths.size() ) > 0",
      "at least one account must be specified",
    );
  for (const name of signers) validateName(name);
  if (Buffer.byteLength(operation.id) > MAX_CUSTOM_ID_BYTES)
    throw assertion(
      "id.size() <= HIVE_CUSTOM_OP_ID_MAX_LENGTH",
      "Operation ID length exceeded. Max: 32 Current: <n>",
      {
        n: Buffer.byteLength(operation.id),
      },
    );
  if (Buffer.byteLength(operation.json) > MAX_CUSTOM_JSON_BYTES)
    throw assertion(
      "json.length() <= HIVE_CUSTOM_OP_DATA_MAX_LENGTH",
      "Operation JSON must be less than or equal to 8192 bytes.",
    );
  if (!isJson(operation.json)) throw assertion("fc::json::is_valid(json)", "JSON Metadata not valid JSON");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function validateName(name: string): void {
  if (!isAccountName(name)) throw invalidName(name);
}

function invalidName(name: string): ChainFault {
  if (name.length < 3)
    return assertion(
      "validity_check_result != account_name_validity::too_short",
      "Account name '<name>' is too short. Use at least <min> characters.",
      { name, min: 3 },
    );
  if (name.length > 16)
    return assertion(
      "validity_check_result != account_name_validity::too_long",
      "Account name '<name>' is too long. Use maximum of <max> characters.",
      { name, max: 16 },
    );
  return assertion(
    "validity_check_result != account_name_validity::invalid_sequence",
    "Account name '<name>' is not valid. Please follow the RFC 1035 rules.",
    { name },
  );
}

type SigningRole = "owner" | "active" | "posting";
type Need = { account: string; role: SigningRole };

/** Returns the authorities that a transaction requires, active ones first, in the chain's order. */
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
 * Returns the keys that signed `digest`.
 * @throws ChainFault for a signature in a form that the chain rejects, or for two signatures by the same key.
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
 * Checks that `keys` satisfy every authority that the transaction requires, in the state before it. Roles do
 * not replace each other: owner keys do not count for active, nor active keys for posting.
 * @throws ChainFault for an unknown signer, or for the first authority that is not satisfied.
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
