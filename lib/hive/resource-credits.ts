import { z } from "zod";
import type { ChainReader, ReadOptions } from "./chain-state.ts";

const FULL_AFTER_SECONDS = 432_000;

/** Nodes write what exceeds 32 bits as text or as a number. */
const Credits = z.union([z.number(), z.string().regex(/^-?\d{1,19}$/)]).transform(Number);

const Found = z.object({
  rc_accounts: z.array(
    z.object({
      account: z.string(),
      rc_manabar: z.object({ current_mana: Credits, last_update_time: z.number().int().nonnegative() }),
      max_rc: Credits,
    }),
  ),
});

/**
 * The resource credits that an account has at chain time `nowMs` (milliseconds since 1970): they grow back to the full
 * within five days. `null` when the node names no such account.
 * @throws ChainError where the node does not serve them, CodedError `chain_unavailable`
 */
export async function readResourceCredits(
  chain: ChainReader,
  account: string,
  nowMs: number,
  options?: ReadOptions,
): Promise<number | null> {
  const { rc_accounts } = await chain.read(
    "rc_api.find_rc_accounts",
    { accounts: [account] },
    Found,
    options,
  );
  const found = rc_accounts.find((one) => one.account === account);
  if (!found) return null;
  const { rc_manabar: bar, max_rc: most } = found;
  const seconds = Math.max(0, nowMs / 1000 - bar.last_update_time);
  return Math.min(most, bar.current_mana + (most * seconds) / FULL_AFTER_SECONDS);
}
