import jsQR from "jsqr";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import sharp from "sharp";
import { expect, test } from "vitest";
import { QrCode } from "#app/(demo)/_session/qr-code.tsx";
import { keychainSignInLink } from "#lib/wallet-links/index.ts";

/** Draws a code as a page does, and reads it as a camera does. */
async function readBack(text: string): Promise<string | undefined> {
  const svg = renderToStaticMarkup(createElement(QrCode, { text, label: "a code" }));
  const drawing = Buffer.from(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '));
  const [, size = ""] = /viewBox="0 0 (\d+) /.exec(svg) ?? [];
  const { data, info } = await sharp(drawing, { density: 72 * 4 })
    .resize(Number(size) * 4, null, { kernel: "nearest" })
    .flatten({ background: "#fff" })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return jsQR(new Uint8ClampedArray(data), info.width, info.height)?.data;
}

test("a code can be read back, whatever text it holds", async () => {
  for (const text of ["hive", "has://auth_req/eyJhIjoxfQ==", "ñandú 🐝"])
    expect(await readBack(text)).toBe(text);
});

test("a code holds a long link that signs a browser in", async () => {
  const username = "a".repeat(16);
  // `jsqr` reads no code of size 23, so this link is longer than most.
  const publicUrl = "https://community-chat-of-the-whole-town.some-very-large-company.example.com";
  const device = `${"p".repeat(16)} on ${"s".repeat(16)}, from 2001:db8:aaaa:bbbb::`;
  const purpose = `Signing in another browser (${device}) to ${publicUrl} as ${username}. Sign this only if you asked for it there yourself.`;
  const nonce = "n".repeat(22);
  const expires = "2026-01-01T00:05:00.000Z";
  const signed_message = { type: "login", app: new URL(publicUrl).host, purpose, expires, nonce };
  const message = JSON.stringify({ signed_message, authors: [username], timestamp: 1_767_225_600 });
  const link = keychainSignInLink(publicUrl, { id: "i".repeat(174), message, username });
  expect(await readBack(link)).toBe(link);
});
