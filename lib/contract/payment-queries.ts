import { z } from "zod";
import { isAccountName } from "../hive/account-name.ts";
import { parseMillis } from "../x402/amount.ts";

const MAX_TIP_MILLIS = 100_000;

const account = z.string().refine(isAccountName, "must be a chain account name");
const postId = z.string().regex(/^[a-z0-9]{26}$/, "must be an id: 26 letters and digits");

export const PaymentsQuery = z.object({ account });

/** A tip for a person, or for a message of theirs. What is tipped stands in the address, because that is what a payment is tied to. */
export const TipQuery = z.object({
  to: account,
  amount: z
    .string()
    .refine((text) => isTip(`${text} HBD`), "must be HBD with three decimals, 0.001 to 100.000"),
  post: postId.optional(),
});

export const TipsQuery = z
  .object({
    post: postId.optional(),
    posts: z
      .string()
      .regex(/^[a-z0-9]{26}(,[a-z0-9]{26}){0,99}$/, "must be 1 to 100 ids with commas between them")
      .optional(),
  })
  .refine(({ post, posts }) => (post === undefined) !== (posts === undefined), {
    message: "give either post or posts",
  });

function isTip(amount: string): boolean {
  const millis = parseMillis(amount);
  return millis !== null && millis > 0 && millis <= MAX_TIP_MILLIS;
}
