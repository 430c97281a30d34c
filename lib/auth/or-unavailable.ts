import { CodedError } from "../errors.ts";
import { ChainError } from "../hive/chain-error.ts";

/**
 * Whoever can't tell (chain, issuer, store) is no reason to refuse anybody.
 * @throws CodedError `auth_unavailable` for their failures; bugs pass as they are.
 */
export async function orUnavailable<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CodedError || error instanceof ChainError)
      throw new CodedError("auth_unavailable", { cause: error });
    throw error;
  }
}
