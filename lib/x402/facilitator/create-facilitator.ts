import { CodedError } from "../../errors.ts";
import { ChainError } from "../../hive/chain-error.ts";
import { createHiveClient } from "../../hive/client.ts";
import { defaultNetwork, MAINNET_CHAIN_ID, MAINNET_NODES, networkNames } from "../network.ts";
import type { VerifyResponse } from "../types.ts";
import { refusedSettlement, refusedVerification, type Settlement } from "./answers.ts";
import type { SettleOptions } from "./caller.ts";
import { createChainClock } from "./chain-clock.ts";
import { createChainCheck } from "./check-on-chain.ts";
import { type HealthResponse, readHealth } from "./health.ts";
import { createLedger } from "./ledger.ts";
import { type FacilitatorOptions, type PaymentAnswer, refuseNonsense } from "./options.ts";
import { openPaymentStore } from "./payment-store.ts";
import { PaymentRequest, readPayment } from "./read-request.ts";
import { createSettler } from "./settle.ts";
import { createTeller } from "./settlement-event.ts";
import { createTracker } from "./track.ts";

export type HiveFacilitator = {
  /** @throws CodedError `invalid_request` for a body of another shape, `chain_unavailable`, `overloaded` */
  verify(body: unknown): Promise<VerifyResponse>;
  /** @throws CodedError as `verify` */
  settle(body: unknown, options?: SettleOptions): Promise<Settlement>;
  supported(): SupportedResponse;
  health(): Promise<HealthResponse>;
  /** Brings every open payment as far as the chain has; runs by itself after `start`. */
  recover(): Promise<void>;
  /** Recovers at once and from then on regularly. */
  start(): void;
  close(): Promise<void>;
  readonly network: string;
};

export type SupportedResponse = {
  kinds: Array<{ x402Version: number; scheme: "exact"; network: string }>;
  extensions: string[];
  signers: Record<string, string[]>;
};

/**
 * Makes a facilitator: it verifies signed HBD transfers, puts them on the chain once, and remembers what became of them.
 * @throws TypeError for options that make no sense.
 * @example const facilitator = createFacilitator({ redisUrl: "redis://localhost:6379" });
 */
export function createFacilitator(options: FacilitatorOptions = {}): HiveFacilitator {
  refuseNonsense(options);
  const { twoNodesFromMillis = 100_000, waitMs = 8000, dataDir = ".data" } = options;
  const store = options.store ?? openPaymentStore({ redisUrl: options.redisUrl, dataDir });
  const client =
    options.client ??
    createHiveClient({
      nodes: options.nodes ?? MAINNET_NODES,
      chainId: options.chainId ?? MAINNET_CHAIN_ID,
    });
  const { network = defaultNetwork(client.chainId) } = options;
  const networks = networkNames(network, client.chainId);
  const clock = createChainClock(client);
  const ledger = createLedger(store);
  const tell = createTeller(options.onEvent);
  const check = createChainCheck({ client, clock, twoNodesFromMillis });
  const tracker = createTracker({
    client,
    clock,
    twoNodesFromMillis,
    waitMs,
    pollMs: options.pollMs ?? 500,
    onResend: (record) => tell("resent", record),
  });
  const settler = createSettler({
    ledger,
    tracker,
    check,
    finality: options.finality ?? "included",
    tell,
  });
  let timer: NodeJS.Timeout | undefined;
  let recovering: Promise<void> | null = null;

  const recover = () => {
    recovering ??= asking(settler.recover()).finally(() => {
      recovering = null;
    });
    return recovering;
  };

  const verify = async (body: unknown): Promise<VerifyResponse> => {
    const payment = readPayment(parse(body), networks);
    if ("reason" in payment) return refusedVerification(payment);
    const payer = payment.transfer.from;
    const known = await ledger.find(payment.transfer.ids.legacy);
    if (known && settler.isGiven(known.record))
      return refusedVerification({ reason: "payment_replayed", payer });
    // Claimed, and nobody got the success yet: settling will tell, whatever time and balance say by now.
    if (known && known.record.state !== "failed") return { isValid: true, payer };
    const checked = await asking(check(payment));
    return "reason" in checked ? refusedVerification(checked) : { isValid: true, payer };
  };

  const settle = async (body: unknown, given: SettleOptions): Promise<Settlement> => {
    const payment = readPayment(parse(body), networks);
    if ("reason" in payment) return refusedSettlement(payment, network);
    return asking(settler.settle(payment, given));
  };

  const counted = async <T>(
    call: PaymentAnswer["call"],
    work: Promise<T>,
    reasonOf: (answer: T) => string | undefined,
  ): Promise<T> => {
    const startedAtMs = performance.now();
    let outcome = "internal";
    try {
      const answer = await work;
      outcome = reasonOf(answer) ?? "ok";
      return answer;
    } catch (error) {
      if (error instanceof CodedError) outcome = error.code;
      throw error;
    } finally {
      options.onAnswer?.({ call, outcome, seconds: (performance.now() - startedAtMs) / 1000 });
    }
  };

  return {
    network,
    verify: (body) => counted("verify", verify(body), ({ invalidReason }) => invalidReason),
    settle: (body, given = {}) => counted("settle", settle(body, given), ({ errorReason }) => errorReason),
    supported: () => ({
      kinds: [1, 2].flatMap((x402Version) =>
        networks.map((name) => ({ x402Version, scheme: "exact" as const, network: name })),
      ),
      extensions: [],
      signers: {},
    }),
    health: () => readHealth({ clock, store, network }),
    recover,
    start() {
      const run = () => recover().catch((error: unknown) => options.onFault?.(error));
      void run();
      timer ??= setInterval(run, options.recoverEveryMs ?? 15_000);
      timer.unref();
    },
    async close() {
      clearInterval(timer);
      await recovering?.catch(() => {
        // Told by `start` already.
      });
      if (!options.client) await client.close();
      if (!options.store) await store.close();
    },
  };
}

function parse(body: unknown): PaymentRequest {
  const parsed = PaymentRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  throw new CodedError("invalid_request", { issues: issues.slice(0, 20) });
}

/** A node that refuses to be read is no better than one that can't be reached. */
async function asking<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ChainError ? new CodedError("chain_unavailable", { cause: error }) : error;
  }
}
