import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson } from "../canonical-json.ts";
import { type AskedAddress, isBindable } from "../paywall/asked-address.ts";

const ORIGIN = "mcp://tool";

/** The names that the protocol recommends. */
const nameShape = /^[A-Za-z0-9_./-]{1,128}$/;

/** Returns whether a payment can be bound to a tool of this name. */
export function isToolName(name: unknown): name is string {
  return (
    typeof name === "string" && nameShape.test(name) && isBindable({ origin: ORIGIN, target: `/${name}` })
  );
}

/**
 * Returns the address of a call: its resource is `mcp://tool/NAME`, and a payment for it opens only these
 * arguments.
 */
export function addressOfCall(name: string, given: unknown): AskedAddress {
  const hash = bytesToHex(sha256(utf8ToBytes(canonicalJson(given ?? {}))));
  return { origin: ORIGIN, target: `/${name}?arguments=${hash}` };
}
