import { Authority } from "../../../lib/hive/authority.ts";
import { decodePublicKey } from "../../../lib/hive/public-key.ts";
import type { Asset, Operation } from "../../../lib/hive/transaction.ts";
import { assertion, badType } from "../errors.ts";
import type { SignedTransaction, Symbols } from "../types.ts";
import {
  type Fields,
  parseAsset,
  readHex,
  readList,
  readObject,
  readText,
  readTime,
  readUnsigned,
} from "./fields.ts";

const operationNumbers: Record<number, Operation["type"]> = {
  2: "transfer",
  9: "account_create",
  10: "account_update",
  18: "custom_json",
  43: "account_update2",
};
const served = new Set<string>(Object.values(operationNumbers));

/**
 * Reads a signed transaction in either JSON form, as leniently as the nodes do: unknown fields are skipped,
 * missing ones are zero or empty, and a number may replace an operation's name.
 */
export function parseTransaction(value: unknown, symbols: Symbols): SignedTransaction {
  const fields = readObject(value);
  if (readList(fields.extensions).length > 0)
    throw assertion("extensions.empty()", "No extensions are supported");
  return {
    refBlockNum: readUnsigned(fields.ref_block_num, 16),
    refBlockPrefix: readUnsigned(fields.ref_block_prefix, 32),
    expiration: fields.expiration === undefined ? 0 : readTime(fields.expiration),
    operations: readList(fields.operations).map((operation) => parseOperation(operation, symbols)),
    signatures: readList(fields.signatures).map((signature) => readHex(signature, 65)),
  };
}

function parseOperation(value: unknown, symbols: Symbols): Operation {
  const [name, body] = Array.isArray(value) ? value : nameAndBody(readObject(value));
  return readOperation(operationType(name), readObject(body), symbols);
}

function nameAndBody(fields: Fields): [unknown, unknown] {
  return [readText(fields.type).replace(/_operation$/, ""), fields.value];
}

function operationType(name: unknown): Operation["type"] {
  const type = typeof name === "number" ? operationNumbers[name] : name;
  if (typeof type !== "string" || !served.has(type))
    throw assertion("itr != to_tag.end()", `Invalid object name: ${readText(name).slice(0, 64)}`);
  return type as Operation["type"];
}

function readOperation(type: Operation["type"], fields: Fields, symbols: Symbols): Operation {
  switch (type) {
    case "transfer":
      return {
        type,
        from: readText(fields.from),
        to: readText(fields.to),
        amount: readAsset(fields.amount, symbols),
        memo: readText(fields.memo),
      };
    case "account_create":
      return {
        type,
        fee: readAsset(fields.fee, symbols),
        creator: readText(fields.creator),
        new_account_name: readText(fields.new_account_name),
        owner: readAuthority(fields.owner),
        active: readAuthority(fields.active),
        posting: readAuthority(fields.posting),
        memo_key: readKey(fields.memo_key),
        json_metadata: readText(fields.json_metadata),
      };
    case "account_update":
      return {
        type,
        ...readAuthorities(fields),
        memo_key: readKey(fields.memo_key),
        json_metadata: readText(fields.json_metadata),
      };
    case "account_update2":
      if (readList(fields.extensions).length > 0) throw assertion("extensions.empty()");
      return {
        type,
        ...readAuthorities(fields),
        memo_key: isAbsent(fields.memo_key) ? undefined : readKey(fields.memo_key),
        json_metadata: readText(fields.json_metadata),
        posting_json_metadata: readText(fields.posting_json_metadata),
      };
    case "custom_json":
      return {
        type,
        required_auths: readNames(fields.required_auths),
        required_posting_auths: readNames(fields.required_posting_auths),
        id: readText(fields.id),
        json: readText(fields.json),
      };
  }
}

function readAsset(value: unknown, symbols: Symbols): Asset {
  return value === undefined ? { amount: 0n, symbol: "HIVE" } : parseAsset(value, symbols);
}

const isAbsent = (value: unknown) => value === undefined || value === null;

function readAuthorities(fields: Fields) {
  const optional = (value: unknown) => (isAbsent(value) ? undefined : readAuthority(value));
  return {
    account: readText(fields.account),
    owner: optional(fields.owner),
    active: optional(fields.active),
    posting: optional(fields.posting),
  };
}

/** Reads an authority. The chain stores its lists as maps, so the first of two equal keys counts. */
function readAuthority(value: unknown): Authority {
  const fields = readObject(value);
  const authority = Authority.safeParse({
    weight_threshold: readUnsigned(fields.weight_threshold, 32),
    account_auths: firstOfEach(readList(fields.account_auths)),
    key_auths: firstOfEach(readList(fields.key_auths)),
  });
  if (!authority.success) throw badType("Invalid cast from type to authority");
  for (const [key] of authority.data.key_auths) readKey(key);
  return authority.data;
}

function firstOfEach(entries: unknown[]): unknown[] {
  const seen = new Set<unknown>();
  return entries.filter((entry) => {
    const key = Array.isArray(entry) ? entry[0] : entry;
    return !seen.has(key) && seen.add(key);
  });
}

function readKey(value: unknown): string {
  const text = readText(value);
  try {
    decodePublicKey(text);
  } catch {
    throw assertion("b58_with_prefix.substr( 0, prefix_len ) == prefix", "Invalid public key");
  }
  return text;
}

function readNames(value: unknown): string[] {
  return [...new Set(readList(value).map(readText))];
}
