import { findHead, type Head, type HeadFault } from "./find-head.ts";
import { PaymentError } from "./payment-error.ts";

const descriptions: Record<HeadFault, string> = {
  contradiction: "The chain nodes contradict each other",
  silence: "No chain node answers",
};

/**
 * Reads the chain's time and a young block for a payment.
 * @throws PaymentError `chain_unavailable` if they cannot be read; the signal's reason once it aborts
 */
export async function readHead(nodes: readonly string[], signal?: AbortSignal): Promise<Head> {
  const head = await findHead(nodes, signal);
  if (typeof head !== "string") return head;
  throw new PaymentError("chain_unavailable", `${descriptions[head]}, so nothing can be signed.`);
}
