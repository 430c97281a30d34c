import { CodedError } from "../errors.ts";
import { ChainError } from "../hive/chain-node.ts";

/**
 * Reports an outage of the chain, an issuer or the store as `auth_unavailable` instead of refusing the caller.
 * @throws CodedError `auth_unavailable` for their failures; bugs pass unchanged.
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
