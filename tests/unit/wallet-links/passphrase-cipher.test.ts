import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decryptWithPassphrase, encryptWithPassphrase } from "../../../lib/wallet-links/passphrase-cipher.ts";

const MARK = Buffer.from("Salted__");

describe("decrypting with a passphrase", () => {
  it("returns every text that was encrypted with the same passphrase", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), fc.string(), async (text, passphrase) => {
        const encrypted = await encryptWithPassphrase(text, passphrase);
        expect(await decryptWithPassphrase(encrypted, passphrase)).toBe(text);
      }),
    );
  });

  it("returns null for texts without the mark of an encrypted one", async () => {
    const unmarked = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.base64String(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64")),
    );
    await fc.assert(
      fc.asyncProperty(unmarked, async (text) => {
        fc.pre(!Buffer.from(text, "base64").subarray(0, MARK.length).equals(MARK));
        expect(await decryptWithPassphrase(text, "key")).toBeNull();
      }),
    );
  });

  it("returns null for a marked text that is cut short", async () => {
    const encrypted = Buffer.from(
      await encryptWithPassphrase("a text of more than one block", "key"),
      "base64",
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(encrypted.length - 1), async (length) => {
        fc.pre((length - 16) % 16 !== 0 || length <= 16);
        const short = encrypted.subarray(0, length).toString("base64");
        expect(await decryptWithPassphrase(short, "key")).toBeNull();
      }),
    );
  });

  it("never rejects, whatever bytes follow the mark", async () => {
    const marked = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(marked, async (bytes) => {
        const text = Buffer.concat([MARK, bytes]).toString("base64");
        await expect(decryptWithPassphrase(text, "key")).resolves.toSatisfy(
          (read: unknown) => read === null || typeof read === "string",
        );
      }),
    );
  });
});
