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
