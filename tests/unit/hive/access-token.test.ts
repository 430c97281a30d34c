import { randomBytes } from "node:crypto";
import dhive from "@hiveio/dhive";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { verifyAccessToken } from "../../../lib/hive/access-token.ts";
import type { Authority } from "../../../lib/hive/authority.ts";
import { createAuthorityCache } from "../../../lib/hive/authority-cache.ts";
import { formAccessToken, postingKey, signText } from "../../harness/form-access-token.ts";

const NOW = 1_800_000_000;
const WEEK = 604_800;
const publicText = (account: string, role?: "owner" | "active" | "posting" | "memo") =>
  postingKey(account, role).createPublic().toString();
const ordinary = (account: string): Authority => ({
  weight_threshold: 1,
  account_auths: [],
  key_auths: [[publicText(account), 1]],
});
const form = (account: string, options: Parameters<typeof formAccessToken>[1] = {}) =>
  formAccessToken(account, { timestamp: NOW, ...options });

describe("an access token that an app formed", () => {
  let chain: Map<string, Authority>;
  let reads: string[];
  let nowMs: number;
  let verify: (token: string, account?: string) => Promise<string>;

  beforeEach(() => {
    chain = new Map(["alice", "bob"].map((account) => [account, ordinary(account)]));
    reads = [];
    nowMs = NOW * 1000;
    const authorities = createAuthorityCache({
      load: async (account) => {
        reads.push(account);
        return chain.get(account) ?? null;
      },
      ttlMs: 30_000,
      missTtlMs: 3000,
      now: () => nowMs,
    });
    verify = async (token, account = "alice") => {
      const verdict = await verifyAccessToken(token, {
        account,
        appIds: ["hivegate", "other.app"],
        maxAgeSeconds: WEEK,
        authorities,
        nowMs,
      });
      return verdict.isValid ? "valid" : verdict.reason;
    };
  });

  describe("is accepted", () => {
    it("when the specification's recipe was followed", async () => {
      expect(await verify(form("alice"))).toBe("valid");
    });

    it.each(["code", "login", "posting"])("of type %s", async (type) => {
      expect(await verify(form("alice", { type }))).toBe("valid");
    });

    it("for each configured app", async () => {
      expect(await verify(form("alice", { app: "other.app" }))).toBe("valid");
    });

    it("in base64url, padded base64url, base64 and HiveSigner's dotted form", async () => {
      for (let size = 0; size < 6; size++) {
        const change = (payload: Record<string, unknown>) => ({
          ...payload,
          signed_message: { type: "code", app: "hivegate", pad: "ÿ>".repeat(size) },
        });
        const plain = form("alice", { change, encoding: "base64" });
        const dotted = plain.replace(/[+/=]/g, (sign) => ({ "+": "-", "/": "_", "=": "." })[sign] as string);
        for (const token of [plain, plain.replace(/=+$/, ""), dotted, dotted.replace(/\.+$/, "")])
          expect(await verify(token)).toBe("valid");
        expect(await verify(dotted.replaceAll(".", "="))).toBe("valid");
      }
    });

    it("with further keys inside the signed message, in their order", async () => {
      const change = (payload: Record<string, unknown>) => ({
        ...payload,
        signed_message: { nonce: "n", "2": 1, app: "hivegate", __proto__x: null, type: "login" },
      });
      expect(await verify(form("alice", { change }))).toBe("valid");
    });

    it("with a further outer key, which the signature does not cover (HiveSigner's authority)", async () => {
      const finish = (signed: Record<string, unknown>) => ({ authority: "posting", ...signed });
      expect(await verify(form("alice", { finish }))).toBe("valid");
    });

    it("a minute early and a week old, and no more", async () => {
      expect(await verify(form("alice", { timestamp: NOW + 60 }))).toBe("valid");
      expect(await verify(form("alice", { timestamp: NOW + 61 }))).toBe("from_the_future");
      expect(await verify(form("alice", { timestamp: NOW - WEEK }))).toBe("valid");
      expect(await verify(form("alice", { timestamp: NOW - WEEK - 1 }))).toBe("too_old");
    });

    it("from any one key whose weight alone reaches the threshold", async () => {
      chain.set("alice", {
        weight_threshold: 2,
        account_auths: [],
        key_auths: [
          [publicText("bob"), 1],
          [publicText("alice"), 2],
        ],
      });
      expect(await verify(form("alice"))).toBe("valid");
    });
  });

  describe("is refused", () => {
    it("when another site's app is named in it", async () => {
      expect(await verify(form("alice", { app: "evil.app" }))).toBe("wrong_app");
      expect(await verify(form("alice", { app: "Hivegate" }))).toBe("wrong_app");
    });

    it.each(["refresh", "offline", "", "CODE"])("when its type is %j", async (type) => {
      expect(await verify(form("alice", { type }))).toBe("wrong_type");
    });

    it("for another account than its author", async () => {
      expect(await verify(form("bob"), "alice")).toBe("wrong_account");
    });

    it.each([
      ["attacker and victim", ["bob", "alice"]],
      ["victim and attacker", ["alice", "bob"]],
      ["nobody", []],
      ["a text", "alice"],
      ["a name with a blank", ["alice "]],
      ["a name with @", ["@alice"]],
      ["upper case", ["Alice"]],
      ["a look-alike", ["аlice"]],
      ["a nested list", [["alice"]]],
    ])("when its authors are %s", async (_, authors) => {
      const token = form("alice", { change: (payload) => ({ ...payload, authors }), key: postingKey("bob") });
      for (const account of ["alice", "bob", "Alice", "alice ", "@alice", "аlice"])
        expect(await verify(token, account)).not.toBe("valid");
    });

    it("when somebody else's key signed it", async () => {
      expect(await verify(form("alice", { key: postingKey("bob") }))).toBe("key_not_posting");
      expect(await verify(form("alice", { key: dhive.PrivateKey.fromSeed(`${randomBytes(8)}`) }))).toBe(
        "key_not_posting",
      );
    });

    it.each(["owner", "active", "memo"] as const)("when the account's %s key signed it", async (role) => {
      expect(await verify(form("alice", { key: postingKey("alice", role) }))).toBe("key_not_posting");
    });

    it("when the account only lists the signer's account, as it does for every app it uses", async () => {
      chain.set("alice", { weight_threshold: 1, account_auths: [["bob", 1]], key_auths: [] });
      expect(await verify(form("alice", { key: postingKey("bob") }))).toBe("key_not_posting");
    });

    it("when one key of a shared posting authority signed it", async () => {
      chain.set("alice", {
        weight_threshold: 2,
        account_auths: [],
        key_auths: [
          [publicText("alice"), 1],
          [publicText("bob"), 1],
        ],
      });
      expect(await verify(form("alice"))).toBe("key_not_posting");
    });

    it("when the authority is open (threshold 0), whoever signed", async () => {
      chain.set("alice", { weight_threshold: 0, account_auths: [], key_auths: [[publicText("alice"), 0]] });
      expect(await verify(form("alice"))).toBe("key_not_posting");
      expect(await verify(form("alice", { key: postingKey("bob") }))).toBe("key_not_posting");
    });

    it("when the chain has no such account", async () => {
      expect(await verify(form("nobody"), "nobody")).toBe("account_unknown");
    });

    it.each([
      ["milliseconds", NOW * 1000, "from_the_future"],
      ["a fraction", NOW + 0.5, "malformed"],
      ["a text", String(NOW), "malformed"],
      ["zero", 0, "malformed"],
      ["a negative number", -NOW, "malformed"],
      ["more than a safe integer", 2 ** 53, "malformed"],
      ["null", null, "malformed"],
    ])("when its time is %s", async (_, timestamp, reason) => {
      const change = (payload: Record<string, unknown>) => ({ ...payload, timestamp });
      expect(await verify(form("alice", { change }))).toBe(reason);
    });

    it("when its time is a number too large for any clock", async () => {
      const text = Buffer.from(form("alice"), "base64url").toString();
      const endless = text.replace(`"timestamp":${NOW}`, '"timestamp":1e400');
      expect(endless).not.toBe(text);
      expect(await verify(Buffer.from(endless).toString("base64url"))).toBe("malformed");
    });

    it.each([
      ["no signature", []],
      ["two", ["a", "b"]],
      ["one cut short", ["1f".repeat(64)]],
      ["one with something behind it", [`${"1f".repeat(65)}00`]],
      ["upper-case digits", ["1F".repeat(65)]],
      ["no hex", ["zz".repeat(65)]],
      ["a number", [7]],
    ])("when its signatures are %s", async (_, signatures) => {
      expect(await verify(form("alice", { finish: (signed) => ({ ...signed, signatures }) }))).toBe(
        "malformed",
      );
    });

    it("when the right signature stands second", async () => {
      const finish = (signed: Record<string, unknown>) => ({
        ...signed,
        signatures: ["1f".repeat(65), ...(signed.signatures as string[])],
      });
      expect(await verify(form("alice", { finish }))).toBe("malformed");
    });

    it("when the signature is the high-s twin, or its first byte another form of the same", async () => {
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
      const twin = (signed: Record<string, unknown>) => {
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
      expect(await verify(form("alice", { finish: twin }))).toBe("signature_malformed");
      expect(await verify(form("alice", { finish: oldForm }))).toBe("signature_malformed");
    });

    it("when a key stands twice in it and the signature is over the first meaning", async () => {
      const text = Buffer.from(form("bob"), "base64url").toString();
      const doubled = text.replace('"authors":["bob"]', '"authors":["bob"],"authors":["alice"]');
      expect(doubled).not.toBe(text);
      expect(await verify(Buffer.from(doubled).toString("base64url"), "alice")).toBe("key_not_posting");
      expect(await verify(Buffer.from(doubled).toString("base64url"), "bob")).toBe("wrong_account");
    });

    it("when the order inside the signed message was changed after signing", async () => {
      const finish = (signed: Record<string, unknown>) => ({
        ...signed,
        signed_message: { app: "hivegate", type: "code" },
      });
      expect(await verify(form("alice", { finish }))).toBe("key_not_posting");
    });

    it("when the signed message was hashed with blanks", async () => {
      const payload = {
        signed_message: { type: "code", app: "hivegate" },
        authors: ["alice"],
        timestamp: NOW,
      };
      const signatures = [signText(JSON.stringify(payload, null, 1), postingKey("alice"))];
      const token = Buffer.from(JSON.stringify({ ...payload, signatures })).toString("base64url");
      expect(await verify(token)).toBe("key_not_posting");
    });

    it.each([
      ["empty", ""],
      ["a word", "token"],
      ["junk between the letters", `${form("alice").slice(0, 20)}\n${form("alice").slice(20)}`],
      ["padding of three", `${form("alice").replace(/[=.]*$/, "")}===`],
      ["two halves with a dot", `${form("alice").slice(0, 20)}.${form("alice").slice(20)}`],
      ["JSON null", Buffer.from("null").toString("base64url")],
      ["a JSON list", Buffer.from("[]").toString("base64url")],
      ["bytes that are no UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]).toString("base64url")],
      ["4,097 characters", "A".repeat(4097)],
      ["3,000 nested lists", Buffer.from("[".repeat(3000)).toString("base64url")],
    ])("when the text is %s", async (_, token) => {
      expect(await verify(token)).toBe("malformed");
      expect(reads).toEqual([]);
    });

    it("for everything that is not such a token, without an exception", async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.string(), fc.base64String(), fc.json().map(encoded)), async (token) => {
          expect(await verify(token)).toBe("malformed");
        }),
      );
    });

    it("after any change of one character", async () => {
      const token = form("alice");
      const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      const content = (text: string) => Buffer.from(text, "base64url").toString("latin1");
      await fc.assert(
        fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...alphabet), async (at, letter) => {
          const changed = token.slice(0, at) + letter + token.slice(at + 1);
          fc.pre(content(changed) !== content(token));
          expect(await verify(changed)).not.toBe("valid");
        }),
      );
    });
  });

  describe("is checked against the posting authority of now", () => {
    it("asks the chain once for many tokens within the time", async () => {
      for (let turn = 0; turn < 5; turn++) expect(await verify(form("alice"))).toBe("valid");
      expect(reads).toEqual(["alice"]);
      nowMs += 30_000;
      await verify(form("alice"));
      expect(reads).toHaveLength(2);
    });

    it("accepts a new key at once, because the chain is asked again before a refusal", async () => {
      expect(await verify(form("alice"))).toBe("valid");
      chain.set("alice", ordinary("carol"));
      expect(await verify(form("alice", { key: postingKey("carol") }))).toBe("valid");
      expect(await verify(form("alice"))).toBe("key_not_posting");
    });

    it("ends an old key's tokens when the time is over", async () => {
      expect(await verify(form("alice"))).toBe("valid");
      chain.set("alice", ordinary("carol"));
      nowMs += 30_000;
      expect(await verify(form("alice"))).toBe("key_not_posting");
    });

    it("accepts an account that was made a moment after it was asked for", async () => {
      expect(await verify(form("carol"), "carol")).toBe("account_unknown");
      chain.set("carol", ordinary("carol"));
      expect(await verify(form("carol"), "carol")).toBe("valid");
    });

    it("rejects with the chain's failure instead of refusing, and remembers no failure", async () => {
      let isDown = true;
      const authorities = createAuthorityCache({
        load: async () => {
          if (isDown) throw new Error("down");
          return ordinary("alice");
        },
        ttlMs: 30_000,
        missTtlMs: 3000,
      });
      const options = { account: "alice", appIds: ["hivegate"], maxAgeSeconds: WEEK, authorities, nowMs };
      await expect(verifyAccessToken(form("alice"), options)).rejects.toThrow("down");
      isDown = false;
      expect(await verifyAccessToken(form("alice"), options)).toMatchObject({ isValid: true });
    });

    it("asks once for callers who come at the same time, and forgets the oldest of too many accounts", async () => {
      let asked = 0;
      const cache = createAuthorityCache({
        load: async () => {
          asked += 1;
          return ordinary("alice");
        },
        ttlMs: 30_000,
        missTtlMs: 3000,
        now: () => nowMs,
      });
      await Promise.all(Array.from({ length: 20 }, () => cache.read("alice")));
      expect(asked).toBe(1);
      for (let index = 0; index < 10_000; index++) await cache.read(`account${index}`);
      asked = 0;
      await cache.read("account9999");
      expect(asked).toBe(0);
      await cache.read("alice");
      expect(asked).toBe(1);
    });
  });
});

const encoded = (text: string) => Buffer.from(text).toString("base64url");
