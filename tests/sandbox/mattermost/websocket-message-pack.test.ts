import fc from "fast-check";
import { expect, it } from "vitest";
import { parseAction } from "../../../sandbox/mattermost/websocket/connection.ts";
import { decodeMessagePack } from "../../../sandbox/mattermost/websocket/message-pack.ts";

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));

/** The widest form of each type, which every decoder has to accept. */
function encode(value: unknown): Uint8Array {
  const sized = (head: number, size: number) => {
    const buffer = Buffer.alloc(5, head);
    buffer.writeUInt32BE(size, 1);
    return buffer;
  };
  if (value === null) return bytes("c0");
  if (typeof value === "boolean") return bytes(value ? "c3" : "c2");
  if (typeof value === "number") {
    const buffer = Buffer.alloc(9, 0xcb);
    buffer.writeDoubleBE(value, 1);
    return buffer;
  }
  if (typeof value === "string") {
    const text = Buffer.from(value);
    return Buffer.concat([sized(0xdb, text.length), text]);
  }
  if (Array.isArray(value)) return Buffer.concat([sized(0xdd, value.length), ...value.map(encode)]);
  const entries = Object.entries(value as object);
  return Buffer.concat([sized(0xdf, entries.length), ...entries.flat().map(encode)]);
}

it("decodes encoded values", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(decodeMessagePack(encode(value))).toEqual(value);
    }),
  );
});

it.each([
  ["7f", 127],
  ["e0", -32],
  ["cc ff", 255],
  ["cd 0100", 256],
  ["ce 00010000", 65_536],
  ["cf 0000000100000000", 4_294_967_296],
  ["d0 80", -128],
  ["d1 8000", -32_768],
  ["d2 80000000", -2_147_483_648],
  ["d3 ffffffffffffffff", -1],
  ["ca 3fc00000", 1.5],
  ["a3 616263", "abc"],
  ["d9 03 616263", "abc"],
  ["da 0003 616263", "abc"],
  ["92 01 02", [1, 2]],
  ["dc 0002 01 02", [1, 2]],
  ["81 a1 61 c3", { a: true }],
  ["de 0001 a1 61 c2", { a: false }],
  ["c4 01 05", Uint8Array.of(5)],
  ["d6 ff 00000000", new Uint8Array(4)],
])("decodes %s", (hex, value) => {
  expect(decodeMessagePack(bytes(hex))).toEqual(value);
});

it("throws on every frame that is cut short, nested endlessly, or reserved", () => {
  const whole = encode({ seq: 1, action: "ping", data: { list: [1, "two", null] } });
  for (let length = 0; length < whole.length; length += 1) {
    expect(() => decodeMessagePack(whole.subarray(0, length))).toThrow(RangeError);
  }
  expect(() => decodeMessagePack(Buffer.alloc(8_000, 0x91))).toThrow(RangeError);
  expect(() => decodeMessagePack(bytes("c1"))).toThrow(RangeError);
  // A list that claims four billion items ends with the frame.
  expect(() => decodeMessagePack(bytes("dd ffffffff"))).toThrow(RangeError);
});

it("never throws on arbitrary bytes of a client", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.boolean(), (frame, isBinary) => {
      const action = parseAction(Buffer.from(frame), isBinary);
      if (action) expect(Object.keys(action).sort()).toEqual(["action", "data", "seq"]);
    }),
  );
});

it("reads the same action from both encodings", () => {
  const action = { seq: 5, action: "user_typing", data: { channel_id: "x", parent_id: "" } };
  expect(parseAction(Buffer.from(JSON.stringify(action)), false)).toEqual(action);
  expect(parseAction(Buffer.from(encode(action)), true)).toEqual(action);
});
