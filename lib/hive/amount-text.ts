import { z } from "zod";
import { isMils } from "../mils.ts";

const symbols: Readonly<Record<string, string>> = { "@@000000013": "HBD", "@@000000021": "HIVE" };

/** An amount as text such as "0.050 HBD", read from either format of assets. */
export const AmountText = z.union([
  z.string().regex(/^\d{1,15}\.\d{3} [A-Z]{3,5}$/),
  z
    .object({
      amount: z.union([z.string().regex(/^\d{1,15}$/), z.number()]),
      nai: z.enum(Object.keys(symbols)),
    })
    .refine(({ amount }) => isMils(Number(amount)))
    .transform(({ amount, nai }) => `${(Number(amount) / 1000).toFixed(3)} ${symbols[nai]}`),
]);
