import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<string, Buffer, number, { N: number }, Buffer>(scrypt);
const KEY_BYTES = 32;
// Cheap on purpose: these are passwords of a play server, which a test makes by the hundred.
const COST = { N: 1024 };

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, KEY_BYTES, COST);
  return `${salt.toString("hex")}:${key.toString("hex")}`;
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [salt = "", key = ""] = hash.split(":");
  const expected = Buffer.from(key, "hex");
  if (expected.length !== KEY_BYTES) return false;
  return timingSafeEqual(await derive(password, Buffer.from(salt, "hex"), KEY_BYTES, COST), expected);
}
