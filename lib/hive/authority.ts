import { z } from "zod";
import { forgetOldest } from "../async/cache.ts";
import { decodePublicKey } from "./public-key.ts";

const Weight = z.number().int().min(0).max(0xffff);

/** An account's authority: keys and other accounts with weights, and the required sum of weights. */
export const Authority = z.object({
  weight_threshold: z.number().int().min(0).max(0xffffffff),
  account_auths: z.array(z.tuple([z.string(), Weight])),
  key_auths: z.array(z.tuple([z.string(), Weight])),
});
export type Authority = z.infer<typeof Authority>;

const MAX_DEPTH = 2;
const MAX_MEMBERS = 40;
const MAX_ACCOUNTS = 125;

/**
 * Returns true if signatures by `keys` (33 bytes each) satisfy `authority`, by the chain's algorithm: key weights
 * first, then the listed accounts to depth 2. `load` returns the authority of the same role of another account, or
 * `null` for an unknown one. Like the chain, it stops beyond 40 members of one authority or 125 accounts in total.
 */
export async function isSatisfied(
  authority: Authority,
  keys: readonly Uint8Array[],
  load: (account: string) => Promise<Authority | null>,
): Promise<boolean> {
  const approved = new Set<string>();
  let accounts = 1;

  const walk = async (current: Authority, depth: number): Promise<boolean> => {
    const needed = current.weight_threshold;
    let total = 0;
    let members = 0;
    for (const [text, weight] of current.key_auths) {
      if (isAmong(keys, text)) {
        total += weight;
        if (total >= needed) return true;
      }
      if (++members >= MAX_MEMBERS) return false;
    }
    for (const [account, weight] of current.account_auths) {
      if (!approved.has(account)) {
        if (depth === MAX_DEPTH) continue;
        if (accounts >= MAX_ACCOUNTS) return false;
        accounts++;
        const other = await load(account);
        if (other && (await walk(other, depth + 1))) approved.add(account);
      }
      if (approved.has(account)) {
        total += weight;
        if (total >= needed) return true;
      }
      if (++members >= MAX_MEMBERS) return false;
    }
    return total >= needed;
  };

  return walk(authority, 0);
}

function isAmong(keys: readonly Uint8Array[], text: string): boolean {
  const wanted = readKey(text);
  return keys.some(
    (key) => key.length === wanted?.length && key.every((byte, index) => byte === wanted[index]),
  );
}

const MOST_KEYS = 10_000;
const decoded = new Map<string, Uint8Array>();

/**
 * Decodes a public key, or returns null. The result is cached, because decoding costs a third of a signature
 * check, and the same payers and users return.
 */
function readKey(text: string): Uint8Array | null {
  const present = decoded.get(text);
  if (present !== undefined) return present;
  const key = decode(text);
  if (key === null) return null;
  decoded.set(text, key);
  forgetOldest(decoded, MOST_KEYS);
  return key;
}

function decode(text: string): Uint8Array | null {
  try {
    return decodePublicKey(text);
  } catch {
    // The text came from a node, and an invalid key matches nothing.
    return null;
  }
}
