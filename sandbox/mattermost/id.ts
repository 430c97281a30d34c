import { randomBytes } from "node:crypto";

const ALPHABET = "ybndrfg8ejkmcpqxot1uwisza345h769";
const LENGTH = 26;

/** A new id: 26 characters of the z-base-32 alphabet. */
export function makeId(): string {
  let id = "";
  for (const byte of randomBytes(LENGTH)) id += ALPHABET[byte & 31];
  return id;
}

export function isId(text: unknown): text is string {
  return typeof text === "string" && /^[A-Za-z0-9]{26}$/.test(text);
}

export type Clock = {
  now(): number;
  /** Like `now`, but later than every earlier `tick`: posts never share a time, so their order is total. */
  tick(): number;
};

/** A clock whose ticks also stay later than `after`, the newest time that is stored. */
export function createClock(now: () => number, after: number): Clock {
  let last = after;
  return {
    now,
    tick() {
      last = Math.max(now(), last + 1);
      return last;
    },
  };
}
