import type { Asset } from "../../../lib/hive/transaction.ts";
import { assertion, badCast, badHex, badType, endOfFile, parseError } from "../errors.ts";
import type { Symbols } from "../types.ts";

export type Fields = Record<string, unknown>;

/** Reads a JSON object. @throws ChainFault for anything else, as the nodes do */
export function readObject(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw badType("Invalid cast from type to Object");
  return value as Fields;
}

/** Reads a JSON list. A missing one is empty. */
export function readList(value: unknown): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw badType("Invalid cast from type to Array");
  return value;
}

/** Reads a text. Numbers and booleans count as text, and a missing one is empty. */
export function readText(value: unknown): string {
  switch (typeof value) {
    case "undefined":
      return "";
    case "string":
      return value;
    case "number":
    case "boolean":
      return String(value);
    default:
      throw badType("Invalid cast from type to string");
  }
}

/** Reads a whole number of `bits` bits. Higher bits are dropped, as on the chain. */
export function readUnsigned(value: unknown, bits: 16 | 32): number {
  if (value === undefined) return 0;
  const number = typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number))
    throw badType("Invalid cast from type to uint64");
  return Number(BigInt.asUintN(bits, BigInt(Math.trunc(number))));
}

/** Reads a time in the chain's form (UTC without a suffix, fractions truncated), in seconds since 1970. */
export function readTime(value: unknown): number {
  const text = readText(value);
  const [, seconds] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?$/.exec(text) ?? [];
  const time = seconds === undefined ? Number.NaN : Date.parse(`${seconds}Z`);
  // Date.parse turns 30 February into March.
  if (Number.isNaN(time) || formatTime(time / 1000) !== seconds)
    throw badCast("bad lexical cast: source type value could not be interpreted as target");
  return time / 1000;
}

/** Formats seconds since 1970 in the chain's form. */
export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/**
 * Reads hex digits of either case as exactly `length` bytes. Missing bytes are zero, extra ones are dropped.
 */
export function readHex(value: unknown, length: number): Uint8Array {
  const text = readText(value);
  const [wrong] = /[^0-9a-fA-F]/.exec(text) ?? [];
  if (wrong !== undefined) throw badHex(wrong);
  const bytes = new Uint8Array(length);
  bytes.set(Buffer.from(text, "hex").subarray(0, length));
  return bytes;
}

const MAX_INT64 = 2n ** 63n - 1n;
const precisions = { HBD: 3, HIVE: 3, VESTS: 6 } as const;
const symbolOfNai = new Map<unknown, Asset["symbol"]>([
  ["@@000000013", "HBD"],
  ["@@000000021", "HIVE"],
  ["@@000000037", "VESTS"],
]);

/**
 * Reads an amount as leniently as the nodes do: `01.000`, `+1.000` and surrounding spaces pass, `-0.500` is a
 * positive half, and the pre-fork names SBD and STEEM mean HBD and HIVE.
 */
export function parseAsset(value: unknown, symbols: Symbols): Asset {
  if (typeof value === "string") return parseText(value, symbols);
  if (typeof value === "object" && value !== null && "nai" in value) return parseNai(value);
  throw badType("Invalid cast from type to asset");
}

function parseText(text: string, symbols: Symbols): Asset {
  const trimmed = text.trim();
  const blank = trimmed.indexOf(" ");
  if (blank === -1) throw assertion("space_pos != std::string::npos");
  const dot = trimmed.indexOf(".");
  if (dot === -1) {
    const amount = parseInt64(trimmed.slice(0, blank));
    return { amount, symbol: parseSymbol(trimmed.slice(blank + 1), 0, symbols) };
  }
  if (dot > blank) throw assertion("space_pos > dot_pos");
  const fraction = trimmed.slice(dot + 1, blank);
  const symbol = parseSymbol(trimmed.slice(blank + 1), fraction.length, symbols);
  const zeros = "0".repeat(precisions[symbol]);
  const whole = parseInt64(trimmed.slice(0, dot) + zeros);
  const amount = whole + parseInt64(`1${fraction}`) - BigInt(`1${zeros}`);
  if (amount > MAX_INT64) throw parseError("Couldn't parse int64_t");
  return { amount, symbol };
}

function parseInt64(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw parseError("Couldn't parse int64_t");
  const value = BigInt(text.replace("+", ""));
  if (BigInt.asIntN(64, value) !== value) throw parseError("Couldn't parse int64_t");
  return value;
}

function parseSymbol(text: string, decimals: number, symbols: Symbols): Asset["symbol"] {
  const { name, rest } = /^[ \t\n\r]*(?<name>[A-Z]*)[ \t\n\r]*(?<rest>.*)$/s.exec(text)?.groups ?? {};
  const symbol = name === undefined ? undefined : symbolNamed(name, symbols);
  if (symbol === undefined) throw assertion("false", "Cannot parse asset symbol");
  const wanted = precisions[symbol];
  if (decimals !== wanted) throw assertion(`decimals == ${wanted} && "Incorrect decimal places"`);
  if (rest !== "") throw assertion("*p == '\\0'", "Cannot parse asset symbol");
  return symbol;
}

function symbolNamed(name: string, symbols: Symbols): Asset["symbol"] | undefined {
  if (name === symbols.hbd) return "HBD";
  if (name === symbols.hive) return "HIVE";
  if (name === "VESTS") return "VESTS";
  if (symbols.hbd !== "HBD") return undefined;
  return name === "SBD" ? "HBD" : name === "STEEM" ? "HIVE" : undefined;
}

function parseNai(value: object): Asset {
  const { amount, precision, nai } = value as { amount?: unknown; precision?: unknown; nai?: unknown };
  const symbol = symbolOfNai.get(nai);
  if (symbol === undefined) throw assertion("nai_data_digits >= SMT_MIN_NAI", "NAI out of range");
  if (Number(precision) !== precisions[symbol]) throw assertion("decimal_places == HIVE_PRECISION");
  return { amount: parseInt64(String(amount)), symbol };
}

const MAX_DEPTH = 200;
const blank = /[ \t\n\r]*/y;
const number = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y;
const escapes: Record<string, string> = { t: "\t", n: "\n", r: "\r" };

/**
 * Reads JSON as the nodes' library does, which differs from JSON.parse in ways that affect signatures: of two
 * equal keys the FIRST counts, and only the escapes \t \n \r \\ are known (others lose their backslash:
 * "\u0001" becomes "u0001").
 * @throws ChainFault for text that is not JSON
 */
export function parseJson(text: string): unknown {
  let at = 0;

  const skipBlanks = () => {
    blank.lastIndex = at;
    blank.test(text);
    at = blank.lastIndex;
  };

  const peek = (): string => {
    if (at >= text.length)
      throw parseError(
        "Unexpected EOF: 11 eof_exception: End Of File\nstringstream\n    {}\n    sstream.cpp:109 peek",
      );
    return text.charAt(at);
  };

  const expect = (wanted: string) => {
    if (peek() !== wanted) throw parseError(`Expected '${wanted}' but read '${peek()}'`);
    at++;
  };

  const readText = (): string => {
    expect('"');
    let out = "";
    for (;;) {
      const character = peek();
      at++;
      if (character === '"') return out;
      if (character === "\\") {
        const escaped = peek();
        at++;
        out += escapes[escaped] ?? escaped;
      } else out += character;
    }
  };

  const readList = (depth: number): unknown[] => {
    expect("[");
    const list: unknown[] = [];
    skipBlanks();
    while (peek() !== "]") {
      if (list.length > 0) expect(",");
      list.push(readValue(depth));
      skipBlanks();
    }
    at++;
    return list;
  };

  const readObject = (depth: number): Record<string, unknown> => {
    expect("{");
    const entries = new Map<string, unknown>();
    let isFirst = true;
    skipBlanks();
    while (peek() !== "}") {
      if (!isFirst) expect(",");
      isFirst = false;
      skipBlanks();
      const key = readText();
      skipBlanks();
      expect(":");
      const value = readValue(depth);
      if (!entries.has(key)) entries.set(key, value);
      skipBlanks();
    }
    at++;
    return Object.fromEntries(entries);
  };

  const readWord = (): unknown => {
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return value;
    }
    number.lastIndex = at;
    const match = number.exec(text);
    if (!match) throw parseError(`Unexpected char '${text.charCodeAt(at)}' in "${text.charAt(at)}"`);
    at = number.lastIndex;
    return Number(match[0]);
  };

  const readValue = (depth: number): unknown => {
    if (depth > MAX_DEPTH) throw assertion("depth <= JSON_MAX_RECURSION_DEPTH");
    skipBlanks();
    switch (peek()) {
      case "{":
        return readObject(depth + 1);
      case "[":
        return readList(depth + 1);
      case '"':
        return readText();
      default:
        return readWord();
    }
  };

  skipBlanks();
  if (at >= text.length) throw endOfFile();
  const value = readValue(0);
  skipBlanks();
  if (at < text.length) throw parseError("Unexpected content behind the value");
  return value;
}
