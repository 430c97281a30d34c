import { appendFile } from "node:fs/promises";
import { z } from "zod";
import type { MadePayment } from "../x402/client/index.ts";
import { underLock } from "./file-lock.ts";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

const MAX_BYTES = 16 * 1024 * 1024;
const KEEP = 1000;
const REWRITE_EVERY = 500;

const Receipt = z.object({
  /** The time in ISO 8601. */
  at: z.string(),
  /** The address without its query, which can contain secrets. */
  url: z.string(),
  payTo: z.string(),
  amount: z.string(),
  network: z.string(),
  status: z.number().nullable(),
  txId: z.string().nullable(),
  /** True if the same payment was sent earlier, so it is not charged again. */
  isRepeat: z.boolean(),
  /** The receipt that the seller signed, a JWS; with `signedOffers` in the settings. */
  signedReceipt: z.string().nullish(),
  receiptFault: z.string().optional(),
  /** The signed receipt with the fault, which can be checked again. */
  refusedReceipt: z.string().optional(),
});
/** A payment that was sent, and its outcome. */
export type Receipt = z.infer<typeof Receipt>;

export type Receipts = {
  /** Records a payment that was sent. */
  add(payment: MadePayment): Promise<void>;
  /** Returns the newest receipts first. */
  list(limit: number): Promise<Receipt[]>;
};

/** Creates the list of receipts, stored in a file with one line for each. */
export function createReceipts(path: string): Receipts {
  let added = 0;
  const read = async (): Promise<Receipt[]> => {
    const lines = ((await readPrivateFile(path, "from readers", MAX_BYTES)) ?? "").split("\n");
    return lines.flatMap((line) => {
      const { data } = Receipt.safeParse(parse(line));
      return data ? [data] : [];
    });
  };
  return {
    async add({ url, ...made }) {
      const receipt: Receipt = { at: new Date().toISOString(), url: url.split("?", 1)[0] ?? "", ...made };
      await underLock(`${path}.lock`, async () => {
        if (added++ % REWRITE_EVERY === 0) {
          const kept = (await read()).slice(-KEEP).map((one) => `${JSON.stringify(one)}\n`);
          await writePrivateFile(path, kept.join(""));
        }
        await appendFile(path, `${JSON.stringify(receipt)}\n`, { mode: 0o600 });
      });
    },
    list: async (limit) => (await read()).slice(-limit).reverse(),
  };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // The process died while writing the line.
    return null;
  }
}
