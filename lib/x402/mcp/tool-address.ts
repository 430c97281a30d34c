import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { type AskedAddress, isBindable } from "../paywall/asked-address.ts";
import { argumentText } from "./argument-text.ts";

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
 * arguments. They are those that the schema returns, because the SDK shows a handler no others.
 * @throws TypeError that names an argument which other arguments could not be told apart from
 */
export function addressOfCall(name: string, given: unknown): AskedAddress {
  const hash = bytesToHex(sha256(utf8ToBytes(argumentText(given))));
  return { origin: ORIGIN, target: `/${name}?arguments=${hash}` };
}
