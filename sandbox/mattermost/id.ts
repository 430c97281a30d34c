import { randomBytes } from "node:crypto";

const ALPHABET = "ybndrfg8ejkmcpqxot1uwisza345h769";
const LENGTH = 26;

/** Returns a new id: 26 characters of the z-base-32 alphabet. */
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
  /**
   * Like `now`, but later than every earlier `tick`: two posts never have the same time, so their order is
   * total.
   */
  tick(): number;
};

/** Creates a clock whose ticks are also later than `after`, the newest stored time. */
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

/** Post types that update the channel's last post time without counting as messages. */
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

/** Returns whether posts of a type are the server's own. */
export function isSystemType(type: string): boolean {
  return type.startsWith("system_");
}

/** Returns whether a post of this type can be unread. Only joins and departures can't. */
export function isCountedType(type: string): boolean {
  return !comingsAndGoings.has(type);
}
