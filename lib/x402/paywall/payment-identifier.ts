import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import { PAYMENT_IDENTIFIER } from "../header.ts";

/** The extension as a 402 announces it: a payer may add an `id`. */
export const announcedIdentifier = {
  [PAYMENT_IDENTIFIER]: {
    info: { required: false },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        required: { type: "boolean" },
        id: { type: "string", minLength: 16, maxLength: 128, pattern: "^[a-zA-Z0-9_-]+$" },
      },
      required: ["required"],
    },
  },
} as const;

/** The id of a payment, chosen by its payer, with the SHA-256 of the exact payload that it came in. */
export type PaymentIdentifier = { id: string; payload: string };

const Identified = z.object({
  extensions: z
    .object({
      [PAYMENT_IDENTIFIER]: z
        .object({
          info: z.object({
            id: z
              .string()
              .regex(/^[A-Za-z0-9_-]{16,128}$/)
              .optional(),
          }),
        })
        .optional(),
    })
    .nullish(),
});

/** Returns the id in a payload of version 2, `null` if it has none, and "malformed" if that is not an id. */
export function readIdentifier(payload: unknown): PaymentIdentifier | "malformed" | null {
  const parsed = Identified.safeParse(payload);
  if (!parsed.success) return "malformed";
  const id = parsed.data.extensions?.[PAYMENT_IDENTIFIER]?.info.id;
  return id === undefined ? null : { id, payload: bytesToHex(sha256(utf8ToBytes(JSON.stringify(payload)))) };
}
