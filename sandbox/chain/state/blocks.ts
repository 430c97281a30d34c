import { randomBytes } from "node:crypto";
import type { Account, Community, State } from "../types.ts";
import type { BlockHeader, Undo } from "./store.ts";

/** Returns the header before the first block. */
export function genesisHeader(time: number): BlockHeader {
  return { num: 0, id: "0".repeat(40), previous: "0".repeat(40), time };
}

/**
 * Returns the header of a new block. Its id is the number and 16 random bytes, so that no signature made here
 * refers to a block of another chain.
 */
export function nextHeader(head: BlockHeader, now: number): BlockHeader {
  const num = head.num + 1;
  const id = num.toString(16).padStart(8, "0") + randomBytes(16).toString("hex");
  return { num, id, previous: head.id, time: Math.max(now, head.time) };
}

/** Returns bytes 4..8 of a block id, which are the number that transactions refer to. */
export function blockPrefix(id: string): number {
  return Buffer.from(id, "hex").readUInt32LE(4);
}

/**
 * Returns the number of the latest block up to `head` that ends in these 16 bits, or 0 or less if there is
 * none.
 */
export function referredBlock(refBlockNum: number, head: number): number {
  return head - ((head - refBlockNum) & 0xffff);
}

/** Returns the changes that lead from `after` back to `before`. */
export function undoOf(before: State, after: State): Undo {
  return {
    accounts: changed(before.accounts, after.accounts).map(
      (name) => [name, before.accounts.get(name) ?? null] as const,
    ),
    communities: changed(before.communities, after.communities).map(
      (name) => [name, before.communities.get(name) ?? null] as const,
    ),
  };
}

function changed<T extends Account | Community>(before: Map<string, T>, after: Map<string, T>): string[] {
  return [...after.keys()].filter((name) => before.get(name) !== after.get(name));
}
