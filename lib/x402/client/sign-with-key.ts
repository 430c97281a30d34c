import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { packTransaction, signingDigest } from "../../hive/packing.ts";
import { decodeBase58 } from "../../hive/public-key.ts";
import { parseMillis } from "../amount.ts";
import type { UnsignedTransfer } from "./build-transfer.ts";

const WIF_VERSION = 0x80;
const FIRST_BYTE = 31;

/**
 * Signs a transfer with a private key in WIF for the chain `chainId`; 130 hex digits.
 * @throws TypeError, without the key, when it is no WIF.
 */
export function signWithKey(transfer: UnsignedTransfer, wif: string, chainId: string): string {
  const [[, { from, to, amount, memo }]] = transfer.operations;
  const packed = packTransaction(
    {
      refBlockNum: transfer.ref_block_num,
      refBlockPrefix: transfer.ref_block_prefix,
      expiration: Date.parse(`${transfer.expiration}Z`) / 1000,
      operations: [
        {
          type: "transfer",
          from,
          to,
          memo,
          amount: { amount: BigInt(parseMillis(amount) ?? 0), symbol: "HBD" },
        },
      ],
    },
    "legacy",
  );
  const signature = secp256k1.sign(signingDigest(packed, chainId), decodeWif(wif), { lowS: true });
  const first = (FIRST_BYTE + signature.recovery).toString(16);
  return first + bytesToHex(signature.toCompactRawBytes());
}

function decodeWif(wif: string): Uint8Array {
  const bytes = wif.length <= 60 ? decodeBase58(wif) : null;
  const checksum = bytes && sha256(sha256(bytes.subarray(0, 33)));
  const isWif =
    bytes?.length === 37 &&
    bytes[0] === WIF_VERSION &&
    bytes.subarray(33).every((byte, index) => byte === checksum?.[index]);
  if (!isWif) throw new TypeError("the active key is not a private key in WIF");
  return bytes.subarray(1, 33);
}
