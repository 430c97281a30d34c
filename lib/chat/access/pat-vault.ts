import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { z } from "zod";
import { deriveSecret } from "../../derive-secret.ts";
import type { Secret } from "../../secret.ts";
import type { Store } from "../../store/store.ts";

const Pat = z.object({ userId: z.string(), tokenId: z.string(), token: z.string() });
/** A personal access token of a chat user: the token, and the id by which the backend revokes it. */
export type Pat = z.infer<typeof Pat>;

/** `sealed` is the text in the store, which tells whether somebody else wrote meanwhile; `pat` is null when there is none or it can't be opened. */
export type VaultEntry = { pat: Pat | null; sealed: string | null };

export type PatVault = {
  read(username: string): Promise<VaultEntry>;
  /** Keeps the token in the place of `previous`; tells whether nobody else wrote meanwhile. */
  write(username: string, previous: VaultEntry, pat: Pat): Promise<boolean>;
  /** Forgets the entry unless somebody else wrote meanwhile. */
  remove(username: string, entry: VaultEntry): Promise<void>;
};

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The gateway's own PATs, one a user, encrypted (AES-256-GCM) in the store under a key from the session secret. An
 * entry made with another secret, or moved to another user's place, can't be opened and counts as lost.
 */
export function createPatVault(options: { store: Store; secret: Secret }): PatVault {
  const { store } = options;
  const key = deriveSecret(options.secret, "pat vault");
  const placeOf = (username: string) => `pat:${username}`;

  const seal = (place: string, pat: Pat): string => {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(place));
    const content = Buffer.concat([cipher.update(JSON.stringify(pat), "utf8"), cipher.final()]);
    return Buffer.concat([iv, content, cipher.getAuthTag()]).toString("base64url");
  };

  const open = (place: string, sealed: string): Pat | null => {
    try {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const content = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
      return Pat.parse(JSON.parse(Buffer.concat([content, decipher.final()]).toString("utf8")));
    } catch {
      // Another secret, another place, or damaged: lost, and replaced by the next bootstrap.
      return null;
    }
  };

  return {
    async read(username) {
      const sealed = await store.get(placeOf(username));
      return { pat: sealed === null ? null : open(placeOf(username), sealed), sealed };
    },
    async write(username, previous, pat) {
      const sealed = seal(placeOf(username), pat);
      return previous.sealed === null
        ? store.setIfAbsent(placeOf(username), sealed)
        : store.replace(placeOf(username), previous.sealed, sealed);
    },
    async remove(username, entry) {
      if (entry.sealed !== null) await store.deleteIf(placeOf(username), entry.sealed);
    },
  };
}
