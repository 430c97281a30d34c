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

/** A clock whose ticks are also later than `after`, the newest stored time. */
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

/** Types that move the channel's last post time without counting as messages. */
const comingsAndGoings = new Set([
  "system_join_leave",
  "system_add_remove",
  "system_join_channel",
  "system_leave_channel",
  "system_add_to_channel",
  "system_remove_from_channel",
  "system_join_team",
  "system_leave_team",
  "system_add_to_team",
  "system_remove_from_team",
]);

/** The server's own posts. */
export function isSystemType(type: string): boolean {
  return type.startsWith("system_");
}

/** True if a post of this type can be unread. All can, except those about joining and leaving. */
export function isCountedType(type: string): boolean {
  return !comingsAndGoings.has(type);
}
