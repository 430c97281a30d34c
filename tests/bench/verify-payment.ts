import { signPayment } from "../harness/sign-payment.ts";

export const BENCH_CHAIN_ID = "be".repeat(32);

/** The bench chain's constant head. */
export const benchHead = {
  head_block_number: 1000,
  head_block_id: `000003e8${"ab".repeat(16)}`,
  time: "2026-01-01T00:00:00",
  last_irreversible_block_num: 999,
};

/** Returns this many valid payments, each with a different nonce. */
export async function signBenchPayments(count: number): Promise<string[]> {
  const chain = { chainId: BENCH_CHAIN_ID, call: async () => benchHead };
  const requests = [];
  for (let made = 0; made < count; made++) requests.push((await signPayment(chain)).request);
  return requests.map((request) => JSON.stringify(request));
}
