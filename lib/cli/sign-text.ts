import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { decodeBase58 } from "../hive/public-key.ts";

const FIRST_BYTE = 31;

/** The signature (hex) of a text by a key in WIF. @throws TypeError, without the key, when it is no WIF */
export function signText(text: string, wif: string): string {
  const key = decodeBase58(wif);
  if (key?.length !== 37) throw new TypeError("the posting key is not a private key in WIF");
  const signature = secp256k1.sign(sha256(utf8ToBytes(text)), key.subarray(1, 33), { lowS: true });
  return (FIRST_BYTE + signature.recovery).toString(16) + bytesToHex(signature.toCompactRawBytes());
}
