import { createCipheriv, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPatVault, type PatVault } from "#lib/chat/access/pat-vault.ts";
import { deriveSecrets, Secret } from "#lib/secret.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";

const pat = { userId: "u".repeat(26), tokenId: "i".repeat(26), token: "t0p5ecret".padEnd(26, "x") };
const signInWith = (given = pat) => ({
  signIns: [{ ...given, proof: "p", key: null, userAgent: "", openedAtMs: 1, seenAtMs: 2 }],
  endedBeforeMs: 0,
});
const content = signInWith();
const nothing = { signIns: [], endedBeforeMs: 0, sealed: null };

describe("PAT vault", () => {
  let folder: string;
  let store: Store;
  let vault: PatVault;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hivegate-vault-"));
    store = createSqliteStore({ dataDir: folder });
    vault = createPatVault({ store, secret: new Secret("s".repeat(32)) });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("returns the tokens that it stored, and leaves nothing readable in the store", async () => {
    expect(await vault.read("alice")).toEqual(nothing);
    expect(await vault.write("alice", nothing, content)).toBe(true);
    expect(await vault.read("alice")).toMatchObject(content);
    const [entry] = await store.list("pat:", 5);
    expect(entry?.key).toBe("pat:alice");
    const bytes = Buffer.from(entry?.value ?? "", "base64url").toString("latin1");
    for (const part of [pat.token, pat.tokenId, pat.userId])
      expect(`${entry?.value} ${bytes}`).not.toContain(part);
  });

  it("encrypts the same token differently each time", async () => {
    await vault.write("alice", nothing, content);
    const first = await vault.read("alice");
    await vault.write("alice", first, content);
    expect((await vault.read("alice")).sealed).not.toBe(first.sealed);
  });

  it("treats an entry as lost if it is damaged, or for another secret or user", async () => {
    await vault.write("alice", nothing, content);
    const { sealed } = await vault.read("alice");
    const other = createPatVault({ store, secret: new Secret("x".repeat(32)) });
    expect(await other.read("alice")).toEqual({ ...nothing, sealed });
    await store.set("pat:bob", sealed ?? "");
    expect((await vault.read("bob")).signIns).toEqual([]);
    const bytes = Buffer.from(sealed ?? "", "base64url");
    const flipped = [0, 20, bytes.length - 1].map((at) => {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      return damaged.toString("base64url");
    });
    for (const damaged of ["", "AAAA", bytes.subarray(0, -1).toString("base64url"), ...flipped]) {
      await store.set("pat:alice", damaged);
      expect((await vault.read("alice")).signIns).toEqual([]);
    }
  });

  it("returns the stored token when another process encrypts it again at the same time", async () => {
    const [former, present] = ["s".repeat(32), "n".repeat(32)];
    const secret = new Secret(present, new Secret(former));
    await vault.write("alice", nothing, content);
    const quicker = createPatVault({ store, secret });
    const beaten: Store = {
      ...store,
      async replace(...given) {
        await quicker.read("alice");
        return store.replace(...given);
      },
    };
    const entry = await createPatVault({ store: beaten, secret }).read("alice");
    expect(entry).toEqual({ ...content, sealed: await store.get("pat:alice") });
  });

  it("lets one of two writers of the same version succeed", async () => {
    const seen = await vault.read("alice");
    expect(await vault.write("alice", seen, content)).toBe(true);
    expect(await vault.write("alice", seen, signInWith({ ...pat, token: "z".repeat(26) }))).toBe(false);
    const later = await vault.read("alice");
    expect(await vault.write("alice", later, signInWith({ ...pat, token: "z".repeat(26) }))).toBe(true);
    expect(await vault.write("alice", later, nothing)).toBe(false);
    expect((await vault.read("alice")).signIns[0]?.token).toBe("z".repeat(26));
  });

  it("lists the accounts with sign-ins", async () => {
    expect(await vault.listSignedIn(10)).toEqual([]);
    for (const name of ["alice", "bob"]) await vault.write(name, nothing, content);
    expect(await vault.listSignedIn(10)).toEqual(["alice", "bob"]);
    await vault.write("bob", await vault.read("bob"), { signIns: [], endedBeforeMs: 0 });
    expect(await vault.listSignedIn(10)).toEqual(["alice"]);
  });

  it("reads the single token of earlier versions as a sign-in without a key", async () => {
    const [key] = deriveSecrets(new Secret("s".repeat(32)), "pat vault");
    const iv = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from("pat:alice"));
    const sealed = Buffer.concat([
      iv,
      cipher.update(JSON.stringify(pat)),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    await store.set("pat:alice", sealed.toString("base64url"));
    expect((await vault.read("alice")).signIns).toMatchObject([{ ...pat, proof: "", key: null }]);
  });
});
