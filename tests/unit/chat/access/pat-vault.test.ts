import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPatVault, type PatVault } from "#lib/chat/access/pat-vault.ts";
import { Secret } from "#lib/secret.ts";
import { createSqliteStore } from "#lib/store/sqlite-store.ts";
import type { Store } from "#lib/store/store.ts";

const pat = { userId: "u".repeat(26), tokenId: "i".repeat(26), token: "t0p5ecret".padEnd(26, "x") };
const nothing = { pat: null, sealed: null };

describe("the vault of PATs", () => {
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

  it("gives back what it was given, and lets nothing of it be read in the store", async () => {
    expect(await vault.read("alice")).toEqual(nothing);
    expect(await vault.write("alice", nothing, pat)).toBe(true);
    expect((await vault.read("alice")).pat).toEqual(pat);
    const [entry] = await store.list("pat:", 5);
    expect(entry?.key).toBe("pat:alice");
    const bytes = Buffer.from(entry?.value ?? "", "base64url").toString("latin1");
    for (const part of [pat.token, pat.tokenId, pat.userId])
      expect(`${entry?.value} ${bytes}`).not.toContain(part);
  });

  it("seals the same token differently each time", async () => {
    await vault.write("alice", nothing, pat);
    const first = await vault.read("alice");
    await vault.write("alice", first, pat);
    expect((await vault.read("alice")).sealed).not.toBe(first.sealed);
  });

  it("counts an entry as lost that was made with another secret, moved to another user, or damaged", async () => {
    await vault.write("alice", nothing, pat);
    const { sealed } = await vault.read("alice");
    const other = createPatVault({ store, secret: new Secret("x".repeat(32)) });
    expect(await other.read("alice")).toEqual({ pat: null, sealed });
    await store.set("pat:bob", sealed ?? "");
    expect((await vault.read("bob")).pat).toBeNull();
    const bytes = Buffer.from(sealed ?? "", "base64url");
    const flipped = [0, 20, bytes.length - 1].map((at) => {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      return damaged.toString("base64url");
    });
    for (const damaged of ["", "AAAA", bytes.subarray(0, -1).toString("base64url"), ...flipped]) {
      await store.set("pat:alice", damaged);
      expect((await vault.read("alice")).pat).toBeNull();
    }
  });

  it("gives what is in the store where another process sealed it again at the same time", async () => {
    const [former, present] = ["s".repeat(32), "n".repeat(32)];
    const secret = new Secret(present, new Secret(former));
    await vault.write("alice", nothing, pat);
    const quicker = createPatVault({ store, secret });
    const beaten: Store = {
      ...store,
      async replace(...given) {
        await quicker.read("alice");
        return store.replace(...given);
      },
    };
    const entry = await createPatVault({ store: beaten, secret }).read("alice");
    expect(entry).toEqual({ pat, sealed: await store.get("pat:alice") });
  });

  it("lets one of two writers win who saw the same", async () => {
    const seen = await vault.read("alice");
    expect(await vault.write("alice", seen, pat)).toBe(true);
    expect(await vault.write("alice", seen, { ...pat, token: "z".repeat(26) })).toBe(false);
    const later = await vault.read("alice");
    expect(await vault.write("alice", later, { ...pat, token: "z".repeat(26) })).toBe(true);
    await vault.remove("alice", later);
    expect((await vault.read("alice")).pat?.token).toBe("z".repeat(26));
    await vault.remove("alice", await vault.read("alice"));
    expect(await vault.read("alice")).toEqual(nothing);
  });
});
