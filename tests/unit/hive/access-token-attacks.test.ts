import { randomBytes } from "node:crypto";
import dhive from "@hiveio/dhive";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { createTokenVerifier, formNow, NOW, publicText } from "../../harness/create-token-verifier.ts";
import { postingKey, signText } from "../../harness/form-access-token.ts";

describe("refusing access tokens that an app signed", () => {
  let verifier: ReturnType<typeof createTokenVerifier>;
  beforeEach(() => {
    verifier = createTokenVerifier();
  });

  it("refuses another site's app", async () => {
    expect(await verifier.verify(formNow("alice", { app: "evil.app" }))).toBe("wrong_app");
    expect(await verifier.verify(formNow("alice", { app: "Hivegate" }))).toBe("wrong_app");
  });

  it.each(["login", "refresh", "offline", "", "CODE"])("refuses the type %j", async (type) => {
    expect(await verifier.verify(formNow("alice", { type }))).toBe("wrong_type");
  });

  it("refuses a token for an account other than its author", async () => {
    expect(await verifier.verify(formNow("bob"), "alice")).toBe("wrong_account");
  });

  it.each([
    ["attacker and victim", ["bob", "alice"]],
    ["victim and attacker", ["alice", "bob"]],
    ["an empty list", []],
    ["a text", "alice"],
    ["a name with a blank", ["alice "]],
    ["a name with @", ["@alice"]],
    ["upper case", ["Alice"]],
    ["a look-alike", ["аlice"]],
    ["a nested list", [["alice"]]],
  ])("refuses %s as authors", async (_, authors) => {
    const token = formNow("alice", {
      change: (payload) => ({ ...payload, authors }),
      key: postingKey("bob"),
    });
    for (const account of ["alice", "bob", "Alice", "alice ", "@alice", "аlice"])
      expect(await verifier.verify(token, account)).not.toBe("valid");
  });

  it("refuses another account's key", async () => {
    expect(await verifier.verify(formNow("alice", { key: postingKey("bob") }))).toBe("key_not_posting");
    expect(
      await verifier.verify(formNow("alice", { key: dhive.PrivateKey.fromSeed(`${randomBytes(8)}`) })),
    ).toBe("key_not_posting");
  });

  it.each(["owner", "active", "memo"] as const)("refuses the account's %s key", async (role) => {
    expect(await verifier.verify(formNow("alice", { key: postingKey("alice", role) }))).toBe(
      "key_not_posting",
    );
  });

  it("refuses an account that the authority only lists, like every app that the user authorized", async () => {
    verifier.chain.set("alice", { weight_threshold: 1, account_auths: [["bob", 1]], key_auths: [] });
    expect(await verifier.verify(formNow("alice", { key: postingKey("bob") }))).toBe("key_not_posting");
  });

  it("refuses one key of a shared posting authority", async () => {
    verifier.chain.set("alice", {
      weight_threshold: 2,
      account_auths: [],
      key_auths: [
        [publicText("alice"), 1],
        [publicText("bob"), 1],
      ],
    });
    expect(await verifier.verify(formNow("alice"))).toBe("key_not_posting");
  });

  it("refuses any signer for an open authority (threshold 0)", async () => {
    verifier.chain.set("alice", {
      weight_threshold: 0,
      account_auths: [],
      key_auths: [[publicText("alice"), 0]],
    });
    expect(await verifier.verify(formNow("alice"))).toBe("key_not_posting");
    expect(await verifier.verify(formNow("alice", { key: postingKey("bob") }))).toBe("key_not_posting");
  });

  it("refuses an account that does not exist on the chain", async () => {
    expect(await verifier.verify(formNow("nobody"), "nobody")).toBe("account_unknown");
  });

  it.each([
    ["milliseconds", NOW * 1000, "from_the_future"],
    ["a fraction", NOW + 0.5, "malformed"],
    ["a text", String(NOW), "malformed"],
    ["zero", 0, "malformed"],
    ["a negative number", -NOW, "malformed"],
    ["more than a safe integer", 2 ** 53, "malformed"],
    ["null", null, "malformed"],
  ])("refuses %s as the time", async (_, timestamp, reason) => {
    const change = (payload: Record<string, unknown>) => ({ ...payload, timestamp });
    expect(await verifier.verify(formNow("alice", { change }))).toBe(reason);
  });

  it("refuses a time too large for any clock", async () => {
    const text = Buffer.from(formNow("alice"), "base64url").toString();
    const endless = text.replace(`"timestamp":${NOW}`, '"timestamp":1e400');
    expect(endless).not.toBe(text);
    expect(await verifier.verify(Buffer.from(endless).toString("base64url"))).toBe("malformed");
  });

  it.each([
    ["no entry", []],
    ["two signatures", ["a", "b"]],
    ["a signature cut short", ["1f".repeat(64)]],
    ["a signature with trailing characters", [`${"1f".repeat(65)}00`]],
    ["upper-case digits", ["1F".repeat(65)]],
    ["characters that are not hex digits", ["zz".repeat(65)]],
    ["a number", [7]],
  ])("refuses a list of signatures with %s", async (_, signatures) => {
    expect(await verifier.verify(formNow("alice", { finish: (signed) => ({ ...signed, signatures }) }))).toBe(
      "malformed",
    );
  });

  it("refuses the right signature in second place", async () => {
    const finish = (signed: Record<string, unknown>) => ({
      ...signed,
      signatures: ["1f".repeat(65), ...(signed.signatures as string[])],
    });
    expect(await verifier.verify(formNow("alice", { finish }))).toBe("malformed");
  });

  it("refuses a malleated signature (s above half the order), or another form of its first byte", async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const malleate = (signed: Record<string, unknown>) => {
      const [text = ""] = signed.signatures as string[];
      const first = 31 + ((Number.parseInt(text.slice(0, 2), 16) - 31) ^ 1);
      const s = (order - BigInt(`0x${text.slice(66)}`)).toString(16).padStart(64, "0");
      return { ...signed, signatures: [first.toString(16) + text.slice(2, 66) + s] };
    };
    const oldForm = (signed: Record<string, unknown>) => {
      const [text = ""] = signed.signatures as string[];
      const first = Number.parseInt(text.slice(0, 2), 16) - 4;
      return { ...signed, signatures: [first.toString(16) + text.slice(2)] };
    };
    expect(await verifier.verify(formNow("alice", { finish: malleate }))).toBe("signature_malformed");
    expect(await verifier.verify(formNow("alice", { finish: oldForm }))).toBe("signature_malformed");
  });

  it("refuses a repeated key of which only the first value was signed", async () => {
    const text = Buffer.from(formNow("bob"), "base64url").toString();
    const doubled = text.replace('"authors":["bob"]', '"authors":["bob"],"authors":["alice"]');
    expect(doubled).not.toBe(text);
    expect(await verifier.verify(Buffer.from(doubled).toString("base64url"), "alice")).toBe(
      "key_not_posting",
    );
    expect(await verifier.verify(Buffer.from(doubled).toString("base64url"), "bob")).toBe("wrong_account");
  });

  it("refuses a signed message whose keys were reordered", async () => {
    const finish = (signed: Record<string, unknown>) => ({
      ...signed,
      signed_message: { app: "hivegate", type: "code" },
    });
    expect(await verifier.verify(formNow("alice", { finish }))).toBe("key_not_posting");
  });

  it("refuses a signed message that was hashed with spaces", async () => {
    const payload = {
      signed_message: { type: "code", app: "hivegate" },
      authors: ["alice"],
      timestamp: NOW,
    };
    const signatures = [signText(JSON.stringify(payload, null, 1), postingKey("alice"))];
    const token = Buffer.from(JSON.stringify({ ...payload, signatures })).toString("base64url");
    expect(await verifier.verify(token)).toBe("key_not_posting");
  });

  it.each([
    ["that is empty", ""],
    ["of one word", "token"],
    ["with junk between the letters", `${formNow("alice").slice(0, 20)}\n${formNow("alice").slice(20)}`],
    ["with a padding of three", `${formNow("alice").replace(/[=.]*$/, "")}===`],
    ["in two halves with a dot", `${formNow("alice").slice(0, 20)}.${formNow("alice").slice(20)}`],
    ["of JSON null", Buffer.from("null").toString("base64url")],
    ["of a JSON list", Buffer.from("[]").toString("base64url")],
    ["with a blank between the letters", `${formNow("alice").slice(0, 20)} ${formNow("alice").slice(20)}`],
    ["with a sign between the letters", `${formNow("alice").slice(0, 20)}*${formNow("alice").slice(20)}`],
    ["that is valid but for a byte that is not UTF-8", withExtra(Buffer.from([0xff]))],
    ["that is valid but for a length above 4,096 characters", withExtra(Buffer.alloc(3000, "x"))],
    ["of 3,000 nested lists", Buffer.from("[".repeat(3000)).toString("base64url")],
  ])("refuses a text %s", async (_, token) => {
    expect(await verifier.verify(token)).toBe("malformed");
    expect(verifier.reads).toEqual([]);
  });

  it("accepts a token with a short additional key", async () => {
    expect(await verifier.verify(withExtra(Buffer.from("x")))).toBe("valid");
  });

  it("refuses any other input without throwing", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.base64String(), fc.json().map(encoded)), async (token) => {
        expect(await verifier.verify(token)).toBe("malformed");
      }),
    );
  });

  it("refuses any change of one character", async () => {
    const token = formNow("alice");
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const content = (text: string) => Buffer.from(text, "base64url").toString("latin1");
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...alphabet), async (at, letter) => {
        const changed = token.slice(0, at) + letter + token.slice(at + 1);
        fc.pre(content(changed) !== content(token));
        expect(await verifier.verify(changed)).not.toBe("valid");
      }),
    );
  });
});

/** Returns a valid token with one more key, which the signature does not cover. */
function withExtra(value: Buffer): string {
  const text = Buffer.from(formNow("alice"), "base64url").toString();
  const parts = [Buffer.from(`${text.slice(0, -1)},"extra":"`), value, Buffer.from('"}')];
  return Buffer.concat(parts).toString("base64url");
}

const encoded = (text: string) => Buffer.from(text).toString("base64url");
