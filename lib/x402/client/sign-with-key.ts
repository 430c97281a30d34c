import { parseAsset } from "../../hive/asset-text.ts";
import { packTransaction, signingDigest } from "../../hive/packing.ts";
import { decodeWif, signDigest } from "../../hive/private-key.ts";
import type { UnsignedTransfer } from "./build-transfer.ts";

/**
 * Signs a transfer with a private key in WIF for the chain `chainId`; returns 130 hex digits.
 * @throws TypeError, which does not contain the key, if the key is not in WIF
 */
export function signWithKey(transfer: UnsignedTransfer, wif: string, chainId: string): string {
  const key = decodeWif(wif);
  if (!key) throw new TypeError("the active key is not a private key in WIF");
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
          amount: parseAsset(amount) ?? { amount: 0n, symbol: "HBD" },
        },
      ],
    },
    "legacy",
  );
  return signDigest(signingDigest(packed, chainId), key);
}
