import { createHash } from "node:crypto";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { type Challenges, createChallenges } from "../../../lib/auth/challenges.ts";
import { Secret } from "../../../lib/secret.ts";

describe("issuing and checking login challenges", () => {
  let now: number;
  let challenges: Challenges;
  const open = (secret = "s".repeat(32)) =>
    createChallenges({
      secret: new Secret(secret),
      publicUrl: "https://chat.example.com",
      now: () => now,
    });

  beforeEach(() => {
    now = 1_800_000_000_000;
    challenges = open();
  });

  it("creates a JSON text in HiveSigner's form with host, purpose, expiry, nonce and time, valid for 5 minutes", () => {
    const { message, expiresAt } = challenges.issue("alice");
    const challenge = JSON.parse(message);
    expect(Object.keys(challenge)).toEqual(["signed_message", "authors", "timestamp"]);
    expect(challenge).toEqual({
      signed_message: {
        type: "login",
        app: "chat.example.com",
        purpose: "Sign in to https://chat.example.com as alice. Sign this only on a page of that address.",
        expires: expiresAt,
        nonce: expect.stringMatching(/^[\w-]{22}\.[\w-]{43}$/),
      },
      authors: ["alice"],
      timestamp: now / 1000,
    });
    expect(Date.parse(expiresAt)).toBe(now + 300_000);
    expect(challenges.issue("alice").message).not.toBe(message);
  });

  it("reads a challenge, and returns the digest of its text", () => {
    const { message } = challenges.issue("alice");
    expect(challenges.read(message, "alice")).toMatchObject({
      nonce: JSON.parse(message).signed_message.nonce,
      digest: createHash("sha256").update(message).digest(),
      secondsLeft: 300,
    });
    expect(open().read(message, "alice")).not.toBeNull();
  });

  it("accepts a challenge only for its own account", () => {
    expect(challenges.read(challenges.issue("alice").message, "bob")).toBeNull();
  });

  it("refuses a challenge after 5 minutes", () => {
    const { message, expiresAt } = challenges.issue("alice");
    now = Date.parse(expiresAt) - 1;
    expect(challenges.read(message, "alice")).toMatchObject({ secondsLeft: expect.closeTo(0.001) });
    now = Date.parse(expiresAt);
    expect(challenges.read(message, "alice")).toBe("expired");
    expect(challenges.read(message, "bob")).toBeNull();
  });

  it("refuses a challenge from more than a minute in the future, so that a clock step can't extend it", () => {
    const { message } = challenges.issue("alice");
    now -= 60_000;
    expect(challenges.read(message, "alice")).not.toBeNull();
    now -= 1;
    expect(challenges.read(message, "alice")).toBeNull();
  });

  it("refuses a challenge of another gateway", () => {
    expect(challenges.read(open("x".repeat(32)).issue("alice").message, "alice")).toBeNull();
  });

  it("refuses a challenge whose account, app, type, time, fields or spelling was changed", () => {
    const { message } = challenges.issue("alice");
    const parsed = JSON.parse(message);
    const changed = [
      { ...parsed, authors: ["bob"] },
      { ...parsed, authors: ["bob", "alice"] },
      { ...parsed, timestamp: parsed.timestamp + 1 },
      { ...parsed, signed_message: { ...parsed.signed_message, app: "other" } },
      { ...parsed, signed_message: { ...parsed.signed_message, type: "posting" } },
      { ...parsed, signed_message: { ...parsed.signed_message, more: 1 } },
      { ...parsed, more: 1 },
    ].map((value) => JSON.stringify(value));
    const respelled = [
      JSON.stringify(parsed, null, 1),
      ` ${message}`,
      message.replace("alice", "\\u0061lice"),
    ];
    for (const text of [...changed, ...respelled])
      for (const account of ["alice", "bob"]) expect(challenges.read(text, account)).toBeNull();
  });

  it("refuses any other text as a challenge", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(challenges.read(text, "alice")).toBeNull();
      }),
    );
  });
});
