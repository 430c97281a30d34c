type Json = Record<string, unknown>;

type Fault = {
  /** The JSON-RPC code. */
  rpcCode: number;
  /** The chain library's own code and name. */
  code: number;
  name: string;
  what: string;
  /** The failed condition. */
  expression?: string;
  /** The message, with places for `data` written as <key>. */
  format?: string;
  data?: Json;
};

const placeholder = /<(\w+)>/g;

/**
 * A refusal in the words of the chain's nodes, built from `what`, the failed condition and the completed
 * format.
 */
export class ChainFault extends Error {
  readonly rpcCode: number;
  readonly body: Json;
  readonly data: Json;

  constructor({ rpcCode, code, name, what, expression, format = "", data = {} }: Fault) {
    const told = format.replace(placeholder, (text, key: string) => (key in data ? tell(data[key]) : text));
    super(expression === undefined ? `${what}:${told}` : `${what}:${expression}: ${told}`);
    this.name = name;
    this.rpcCode = rpcCode;
    this.data = data;
    this.body = {
      code,
      name,
      message: what,
      stack: [
        {
          context: {
            level: "error",
            file: "sandbox",
            line: 0,
            method: "",
            hostname: "",
            thread_name: "sandbox",
            timestamp: new Date().toISOString().slice(0, 19),
          },
          format: format.replace(placeholder, "$${$1}"),
          data,
        },
      ],
      extension: expression === undefined ? {} : { assertion_expression: expression },
      ...(expression === undefined ? {} : { assert_hash: "0" }),
    };
  }
}

function tell(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A failed assertion, which is the chain's answer to nearly every fault. */
export function assertion(expression: string, format?: string, data?: Json): ChainFault {
  return new ChainFault({
    rpcCode: -32003,
    code: 10,
    name: "assert_exception",
    what: "Assert Exception",
    expression,
    ...(format === undefined ? {} : { format }),
    ...(data === undefined ? {} : { data }),
  });
}

/** An API or method that the node does not serve. */
export function notServed(expression: string, format: string, data: Json): ChainFault {
  return new ChainFault({
    rpcCode: -32002,
    code: 10,
    name: "assert_exception",
    what: "Assert Exception",
    expression,
    format,
    data,
  });
}

/** A text that cannot be parsed as the expected type. */
export function parseError(format: string): ChainFault {
  return new ChainFault({
    rpcCode: -32000,
    code: 4,
    name: "parse_error_exception",
    what: "Parse Error",
    format,
  });
}

export function endOfFile(): ChainFault {
  return new ChainFault({
    rpcCode: -32000,
    code: 11,
    name: "eof_exception",
    what: "End Of File",
    format: "stringstream",
  });
}

/** An exception of the standard library that the chain's code passed on. */
export function badCast(what: string): ChainFault {
  const name = "N5boost10wrapexceptINS_16bad_lexical_castEEE";
  const suffix = `${what}: unable to convert ISO-formatted string to fc::time_point_sec`;
  return new ChainFault({ rpcCode: -32000, code: 13, name, what, format: suffix });
}

export function badType(format: string): ChainFault {
  return new ChainFault({ rpcCode: -32000, code: 7, name: "bad_cast_exception", what: "Bad Cast", format });
}

export function badHex(character: string): ChainFault {
  return new ChainFault({
    rpcCode: -32000,
    code: 0,
    name: "exception",
    what: "unspecified",
    format: "Invalid hex character '<c>'",
    data: { c: character },
  });
}

/** A signer that isn't on the chain. */
export function unknownKey(key: string): ChainFault {
  const table = "hive::chain::account_authority_object";
  const text = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
  return new ChainFault({
    rpcCode: -32000,
    code: 13,
    name: "N5boost10wrapexceptISt12out_of_rangeEE",
    what: `0 exception: unspecified\nunknown key: ${key} of type: ${text} at multiindex lookup: ${table}.index<hive::chain::by_account>`,
  });
}

/** A refusal by the community index, a separate service with its own wording. */
export function indexFault(text: string): ChainFault {
  return new ChainFault({
    rpcCode: -32602,
    code: 10,
    name: "assert_exception",
    what: "Assert Exception",
    format: text,
    data: { category: "hivemind" },
  });
}

const missing = {
  active: [3010000, "tx_missing_active_auth", "Active"],
  owner: [3020000, "tx_missing_owner_auth", "Owner"],
  posting: [3030000, "tx_missing_posting_auth", "Posting"],
} as const;

/**
 * Signatures that do not satisfy an account's role. `suffix` is appended to the message, as the chain does.
 */
export function missingAuthority(
  role: keyof typeof missing,
  data: Json & { id: string },
  suffix = "",
): ChainFault {
  const [code, name, word] = missing[role];
  return new ChainFault({
    rpcCode: -32003,
    code,
    name,
    what: `missing required ${role} authority`,
    expression: "s.check_authority( id )",
    format: `Missing ${word} Authority <id>${suffix}`,
    data,
  });
}

export function duplicateSignature(): ChainFault {
  return new ChainFault({
    rpcCode: -32003,
    code: 3060000,
    name: "tx_duplicate_sig",
    what: "duplicate signature included",
    expression:
      "new_signature_info.signature_keys.insert(fc::ecc::public_key(signature, new_signature_info.sig_digest)).second",
    format: "Duplicate signature detected",
  });
}

export function expirationFault(expression: string, data: Json): ChainFault {
  return new ChainFault({
    rpcCode: -32003,
    code: 4030100,
    name: "transaction_expiration_exception",
    what: "transaction expiration exception",
    expression,
    data,
  });
}

export function taposFault(data: Json): ChainFault {
  return new ChainFault({
    rpcCode: -32003,
    code: 4030200,
    name: "transaction_tapos_exception",
    what: "transaction tapos exception",
    expression: "trx.ref_block_prefix == tapos_block_summary.block_id._hash[1]",
    data,
  });
}

export function notEnoughResources(account: string, has: number, needs: number): ChainFault {
  return new ChainFault({
    rpcCode: -32003,
    code: 4100100,
    name: "not_enough_rc_exception",
    what: "payer has not enough RC mana for transaction",
    expression: "has_mana",
    format: "Account: <account> has <has> RC, needs <needs> RC. Please wait to transact or power up HIVE.",
    data: { account, has, needs },
  });
}
