import { hkdfSync } from "node:crypto";
import type { Secret } from "./secret.ts";

/** 32 bytes for one purpose: the secrets of two purposes tell nothing about each other. */
export function deriveSecret(secret: Secret, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", secret.reveal(), "", `hivegate ${purpose}`, 32));
}
