import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { drawAvatar } from "../../../sandbox/mattermost/routes/pictures.ts";

/** Returns the chunks of a PNG by their types, after verifying its signature. */
function chunks(png: Uint8Array): Map<string, Buffer> {
  const bytes = Buffer.from(png);
  expect(bytes.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
  const found = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    found.set(bytes.toString("latin1", at + 4, at + 8), bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  return found;
}

describe("the default picture of a user", () => {
  it("is a square PNG of 24-bit colour, mirrored left to right", () => {
    const parts = chunks(drawAvatar("alice"));
    const header = parts.get("IHDR") ?? Buffer.alloc(0);
    expect([header.readUInt32BE(0), header.readUInt32BE(4), header[8], header[9]]).toEqual([128, 128, 8, 2]);
    const lines = inflateSync(parts.get("IDAT") ?? Buffer.alloc(0));
    expect(lines).toHaveLength(128 * (1 + 128 * 3));
    const pixel = (x: number, y: number) => lines.toString("hex", y * 385 + 1 + x * 3, y * 385 + 4 + x * 3);
    for (const y of [20, 40, 64, 90, 110])
      for (const x of [20, 40]) expect(pixel(x, y)).toBe(pixel(127 - x, y));
  });

  it("ends like a PNG, with a correct checksum", () => {
    expect(Buffer.from(drawAvatar("bob").subarray(-12)).toString("hex")).toBe("0000000049454e44ae426082");
  });

  it("depends only on the name", () => {
    expect(drawAvatar("alice")).toEqual(drawAvatar("alice"));
    expect(drawAvatar("alice")).not.toEqual(drawAvatar("carol"));
  });
});
