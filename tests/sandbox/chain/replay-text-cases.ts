import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { transferOf } from "../../harness/sign-transaction.ts";
import { callRpc } from "../../harness/start-sandbox-chain.ts";
import type { Case, Stage } from "./replay-stage.ts";

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

type Json = Record<string, unknown> & { signatures: string[] };
const bodyOf = (json: Json) => (json.operations as [[string, Record<string, unknown>]])[0][1];

/** Returns cases with amounts whose text differs from the signed one, or that no node should accept. */
export function amountCases({ send }: Stage): Case[] {
  const sendText = (amount: string, hbdMils: number) =>
    send([transferOf("alice", "bob", hbdMils, amount)], {
      change: (json) => {
        bodyOf(json).amount = amount;
      },
    });
  const texts = [
    ["1 TBD", 1000],
    ["1.0000 TBD", 1000],
    ["1e0 TBD", 1000],
    ["01.000 TBD", 1000],
    ["+1.001 TBD", 1001],
    ["1.000 TBD x", 1000],
    ["1,000 TBD", 1000],
    ["1.000 HBD", 1000],
    ["1.000 SBD", 1000],
    ["-1.000 TBD", -1000],
  ] as const;
  return texts.map(([text, hbdMils]) => [`amount ${text}`, () => sendText(text, hbdMils)] as const);
}

/** Returns cases with memos and their spellings in JSON. */
export function memoCases({ pay, sign, post }: Stage): Case[] {
  const memos = {
    "memo ctrl U+0001": "a\u0001b",
    "memo NUL": "a\u0000b",
    "memo backspace": "a\bb",
    "memo formfeed": "a\fb",
    "memo newline tab cr": "a\nb\tc\rd",
    "memo emoji": "pay 🐝 漢",
    "memo del": "a\u007fb",
    "memo quote backslash slash": 'a"b\\c/d',
    "memo 2047": "x".repeat(2047),
    "memo 2048": "x".repeat(2048),
  };
  const escaped = async () => {
    const { json } = await sign([transferOf("alice", "bob", 1, "ü漢")]);
    const call = { jsonrpc: "2.0", id: 1, method: "condenser_api.broadcast_transaction", params: [json] };
    const ascii = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return JSON.parse((await post(JSON.stringify(call).replace(/[\u0080-\uffff]/g, ascii))).body);
  };
  return [
    ...Object.entries(memos).map(([name, memo]) => [name, () => pay(memo)] as const),
    ["memo \\u escapes of non-ASCII (Python style)", escaped],
  ];
}

/** Returns cases with signatures, transactions and requests in unusual forms. */
export function signatureFormCases(stage: Stage): Case[] {
  const { ask, post, pay, sign, broadcast } = stage;

  /** Sends a transfer with the high-s twin of its signature, whose s has the wanted first byte. */
  const sendTwin = async (isWanted: (firstByte: number) => boolean) => {
    for (let attempt = 0; ; attempt++) {
      const { json } = await sign([transferOf("alice", "bob", 1, `twin ${isWanted(0x81)} ${attempt}`)]);
      const signature = hexToBytes(json.signatures[0] ?? "");
      const s = ORDER - BigInt(`0x${bytesToHex(signature.subarray(33))}`);
      const twin = Uint8Array.of((((signature[0] ?? 0) - 31) ^ 1) + 31, ...signature.subarray(1, 33));
      const text = bytesToHex(twin) + s.toString(16).padStart(64, "0");
      if (isWanted(Number(s >> 248n))) return broadcast({ ...json, signatures: [text] });
    }
  };
  const payChanged = (memo: string, change: (json: Json) => void) => pay(memo, { change });
  const header = { jsonrpc: "2.0", id: 1 };
  const version = { method: "database_api.get_version", params: {} };
  const postJson = async (value: unknown) => JSON.parse((await post(JSON.stringify(value))).body);

  return [
    ["high-S twin, s[0]=9e", () => sendTwin((byte) => byte < 0xa0)],
    ["high-S twin, s[0]=b2", () => sendTwin((byte) => byte > 0xa0)],
    [
      "first byte 27/28 instead of 31/32",
      () =>
        payChanged("first byte", (json) => {
          const signature = json.signatures[0] ?? "";
          json.signatures = [
            (Number.parseInt(signature.slice(0, 2), 16) - 4).toString(16) + signature.slice(2),
          ];
        }),
    ],
    [
      "extra field in op",
      () =>
        payChanged("extra", (json) => {
          bodyOf(json).extra = 1;
        }),
    ],
    [
      "memo missing",
      () =>
        payChanged("", (json) => {
          delete bodyOf(json).memo;
        }),
    ],
    [
      "exp with ms",
      () =>
        payChanged("ms", (json) => {
          json.expiration = `${json.expiration}.000`;
        }),
    ],
    [
      "exp with Z",
      () =>
        payChanged("Z", (json) => {
          json.expiration = `${json.expiration}Z`;
        }),
    ],
    [
      "uppercase signature",
      () =>
        payChanged("upper", (json) => {
          json.signatures = json.signatures.map((signature) => signature.toUpperCase());
        }),
    ],
    [
      "op id as number",
      () =>
        payChanged("number", (json) => {
          json.operations = [[2, bodyOf(json)]];
        }),
    ],
    ["unknown api", () => ask("foo_api.bar", {})],
    ["unknown method", () => ask("condenser_api.bar", [])],
    ["bridge on bare hived", () => ask("bridge.get_community", { name: "hive-100001" })],
    ["wrong params", () => ask("condenser_api.get_accounts", [])],
    ["call style", () => ask("call", ["condenser_api", "get_accounts", [["alice"]]])],
    ["no jsonrpc", () => postJson({ id: 1, ...version })],
    ["bad json", () => post("{")],
    ["empty batch", () => post("[]")],
    [
      "batch",
      () =>
        post(
          JSON.stringify([
            { jsonrpc: "2.0", ...version, id: "a" },
            { ...header, id: 2, method: "x.y", params: {} },
          ]),
        ),
    ],
    ["string id", () => postJson({ ...header, ...version, id: "abc" })],
    ["null id", () => postJson({ ...header, ...version, id: null })],
    [
      "GET",
      async () => {
        const response = await fetch(stage.url);
        return { result: [response.status, (await response.text()).slice(0, 105)] };
      },
    ],
    ["block header", () => ask("condenser_api.get_block_header", [2])],
    ["get_block", () => ask("condenser_api.get_block", [2])],
    ["block_api.get_block", () => ask("block_api.get_block", { block_num: 2 })],
    ["key refs", () => ask("account_by_key_api.get_key_references", { keys: [stage.aliceKey] })],
    ["get_config", () => ask("condenser_api.get_config", [])],
    ["db get_config", () => ask("database_api.get_config", {})],
    ["jsonrpc.get_methods", () => callRpc(stage.url, "jsonrpc.get_methods", [])],
  ];
}
