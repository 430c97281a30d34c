import { beforeEach, describe, expect, it } from "vitest";
import { verifyAccessToken } from "../../../lib/hive/access-token.ts";
import { createAuthorityCache } from "../../../lib/hive/authority-cache.ts";
import {
  createTokenVerifier,
  formNow,
  NOW,
  ordinary,
  publicText,
  WEEK_SECONDS,
} from "../../harness/create-token-verifier.ts";
import { postingKey } from "../../harness/form-access-token.ts";

describe("accepting access tokens that an app signed", () => {
  let verifier: ReturnType<typeof createTokenVerifier>;
  beforeEach(() => {
    verifier = createTokenVerifier();
  });

  it("accepts a token formed by the specification's recipe", async () => {
    expect(await verifier.verify(formNow("alice"))).toBe("valid");
  });

  it.each(["code", "posting"])("accepts the type %s", async (type) => {
    expect(await verifier.verify(formNow("alice", { type }))).toBe("valid");
  });

  it("accepts a second configured app", async () => {
    expect(await verifier.verify(formNow("alice", { app: "other.app" }))).toBe("valid");
  });

  it("accepts base64url, padded base64url, base64 and HiveSigner's dotted form", async () => {
    for (let size = 0; size < 6; size++) {
      const change = (payload: Record<string, unknown>) => ({
        ...payload,
        signed_message: { type: "code", app: "hivegate", pad: "ÿ>".repeat(size) },
      });
      const plain = formNow("alice", { change, encoding: "base64" });
      const dotted = plain.replace(/[+/=]/g, (sign) => ({ "+": "-", "/": "_", "=": "." })[sign] as string);
      for (const token of [plain, plain.replace(/=+$/, ""), dotted, dotted.replace(/\.+$/, "")])
        expect(await verifier.verify(token)).toBe("valid");
      expect(await verifier.verify(dotted.replaceAll(".", "="))).toBe("valid");
    }
  });

  it("accepts additional keys inside the signed message, in their order", async () => {
    const change = (payload: Record<string, unknown>) => ({
      ...payload,
      signed_message: { nonce: "n", "2": 1, app: "hivegate", __proto__x: null, type: "posting" },
    });
    expect(await verifier.verify(formNow("alice", { change }))).toBe("valid");
  });

  it("accepts another outer key, which the signature does not cover (HiveSigner's authority)", async () => {
    const finish = (signed: Record<string, unknown>) => ({ authority: "posting", ...signed });
    expect(await verifier.verify(formNow("alice", { finish }))).toBe("valid");
  });

  it("accepts tokens dated from a minute ahead to a week ago, and no others", async () => {
    expect(await verifier.verify(formNow("alice", { timestamp: NOW + 60 }))).toBe("valid");
    expect(await verifier.verify(formNow("alice", { timestamp: NOW + 61 }))).toBe("from_the_future");
    expect(await verifier.verify(formNow("alice", { timestamp: NOW - WEEK_SECONDS }))).toBe("valid");
    expect(await verifier.verify(formNow("alice", { timestamp: NOW - WEEK_SECONDS - 1 }))).toBe("too_old");
  });

  it("accepts a single key whose weight reaches the threshold", async () => {
    verifier.chain.set("alice", {
      weight_threshold: 2,
      account_auths: [],
      key_auths: [
        [publicText("bob"), 1],
        [publicText("alice"), 2],
      ],
    });
    expect(await verifier.verify(formNow("alice"))).toBe("valid");
  });
});

describe("checking app tokens against the current posting authority", () => {
  let verifier: ReturnType<typeof createTokenVerifier>;
  beforeEach(() => {
    verifier = createTokenVerifier();
  });

  it("asks the chain once for many tokens of an account within half a minute", async () => {
    for (let turn = 0; turn < 5; turn++) expect(await verifier.verify(formNow("alice"))).toBe("valid");
    verifier.clock.nowMs += 29_999;
    await verifier.verify(formNow("alice"));
    expect(verifier.reads).toEqual(["alice"]);
    verifier.clock.nowMs += 1;
    await verifier.verify(formNow("alice"));
    expect(verifier.reads).toHaveLength(2);
  });

  it("accepts a new key immediately, because it asks the chain again before refusing", async () => {
    expect(await verifier.verify(formNow("alice"))).toBe("valid");
    verifier.chain.set("alice", ordinary("carol"));
    expect(await verifier.verify(formNow("alice", { key: postingKey("carol") }))).toBe("valid");
    expect(await verifier.verify(formNow("alice"))).toBe("key_not_posting");
  });

  it("refuses an old key's tokens after half a minute", async () => {
    expect(await verifier.verify(formNow("alice"))).toBe("valid");
    verifier.chain.set("alice", ordinary("carol"));
    verifier.clock.nowMs += 30_000;
    expect(await verifier.verify(formNow("alice"))).toBe("key_not_posting");
  });

  it("accepts an account created just after it was looked up", async () => {
    expect(await verifier.verify(formNow("carol"), "carol")).toBe("account_unknown");
    verifier.chain.set("carol", ordinary("carol"));
    expect(await verifier.verify(formNow("carol"), "carol")).toBe("valid");
  });

  it("rejects with the chain's failure instead of refusing, and does not cache it", async () => {
    let isDown = true;
    const authorities = createAuthorityCache({
      load: async () => {
        if (isDown) throw new Error("down");
        return ordinary("alice");
      },
    });
    const options = {
      account: "alice",
      appIds: ["hivegate"],
      maxAgeSeconds: WEEK_SECONDS,
      authorities,
      nowMs: NOW * 1000,
    };
    await expect(verifyAccessToken(formNow("alice"), options)).rejects.toThrow("down");
    isDown = false;
    expect(await verifyAccessToken(formNow("alice"), options)).toMatchObject({ isValid: true });
  });

  it("caches a missing account for three seconds", async () => {
    let nowMs = 0;
    const cache = createAuthorityCache({ load: async () => null, now: () => nowMs });
    const isAsked = async (atMs: number) => {
      nowMs = atMs;
      return (await cache.read("nobody-x")).isFresh;
    };
    expect([await isAsked(0), await isAsked(2999), await isAsked(3000)]).toEqual([true, false, true]);
  });

  it("looks an account up again on request, even if another lookup is pending", async () => {
    const keyHolders = ["alice", "carol"];
    const cache = createAuthorityCache({
      load: async () => ordinary(keyHolders.shift() ?? "nobody"),
    });
    const [first, second] = await Promise.all([cache.read("alice"), cache.reread("alice")]);
    expect([first.authority, second.authority]).toEqual([ordinary("alice"), ordinary("carol")]);
    expect(keyHolders).toEqual([]);
  });

  it("asks once for simultaneous callers, and caches a limited number of accounts", async () => {
    let asked = 0;
    const cache = createAuthorityCache({
      load: async () => {
        asked += 1;
        return ordinary("alice");
      },
      now: () => NOW * 1000,
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
