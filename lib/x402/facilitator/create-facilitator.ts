import type { z } from "zod";
import { underSignals } from "../../async/time-limits.ts";
import { caipOf, fitNetwork, MAINNET_CHAIN_ID, MAINNET_NODES, networkNames } from "../../chains.ts";
import { CodedError } from "../../errors.ts";
import { trustNote } from "../../hive/agree-among.ts";
import { ChainError } from "../../hive/chain-node.ts";
import { createHiveClient } from "../../hive/client.ts";
import type { Mils } from "../../mils.ts";
import type { Listing, ResourcesPage, SearchResult } from "../discovery/answers.ts";
import { BAZAAR } from "../discovery/bazaar.ts";
import { createCatalogue } from "../discovery/catalogue.ts";
import { pageOf, searchIn } from "../discovery/find-listings.ts";
import { openAsk } from "../discovery/options.ts";
import { ResourcesQuery, SearchQuery } from "../discovery/queries.ts";
import type { HealthResponse, SupportedResponse, VerifyResponse } from "../types.ts";
import { refusedSettlement, refusedVerification } from "./answers.ts";
import { createChainClock } from "./chain-clock.ts";
import { createChainCheck } from "./check-on-chain.ts";
import { createTimeLimit } from "./deadline.ts";
import { toFacilitatorError } from "./facilitator-error.ts";
import { createHealth } from "./health.ts";
import { createLedger } from "./ledger.ts";
import {
  assertSensible,
  type FacilitatorOptions,
  type PaymentAnswer,
  readTwoNodesFrom,
  type SettleOptions,
} from "./options.ts";
import { openPaymentStore } from "./payment-store.ts";
import {
  type ParsedPayment,
  type ParsedTicket,
  PaymentRequest,
  parsePaymentRequest,
  type Refusal,
} from "./read-request.ts";
import { type Recovery, startRecovery } from "./recovery.ts";
import { createSentTransfers } from "./sent-transfers.ts";
import { createSettler } from "./settle.ts";
import type { Settlement } from "./settlement.ts";
import { createSweep } from "./sweep.ts";
import { createTeller } from "./tell-event.ts";
import { createTracker } from "./track.ts";
import { createTransferIndex } from "./transfer-index.ts";

/** Shorter than any caller waits; a paywall gives up after ten seconds. */
const CHECK_MS = 6000;
/** Time for the payment being advanced when the facilitator closes; the next process resumes it. */
const LAST_LOOK_MS = 1000;
const SWEEP_EVERY_MS = 3_600_000;

export type HiveFacilitator = {
  /** @throws FacilitatorError `invalid_request` for a body of another shape, `chain_unavailable`, `degraded` */
  verify(body: unknown): Promise<VerifyResponse>;
  /** @throws FacilitatorError as `verify` does, and `overloaded` */
  settle(body: unknown, options?: SettleOptions): Promise<Settlement>;
  supported(): SupportedResponse;
  health(): Promise<HealthResponse>;
  /** Returns a page of the catalogue, the latest first. @throws FacilitatorError `invalid_request`, `degraded` */
  listResources(query?: Record<string, string>): Promise<ResourcesPage>;
  /** Returns the resources that match the words best. @throws FacilitatorError `invalid_request`, `degraded` */
  searchResources(query: Record<string, string>): Promise<SearchResult>;
  /**
   * Advances every open payment to the chain's current state, and looks through the transfers to `sweeps` once an hour;
   * runs by itself after `start`.
   */
  recover(): Promise<void>;
  /** Recovers at once and then regularly, unless another process on the same store does. */
  start(): void;
  close(): Promise<void>;
  readonly network: string;
};

/**
 * Creates a facilitator: it verifies signed HBD transfers, puts them on the chain once, and stores their outcomes.
 * @throws TypeError for invalid options
 * @example const facilitator = createFacilitator({ redisUrl: "redis://localhost:6379" });
 */
export function createFacilitator(options: FacilitatorOptions = {}): HiveFacilitator {
  assertSensible(options);
  const network = fitNetwork(options.network, options.client?.chainId ?? options.chainId ?? MAINNET_CHAIN_ID);
  const twoNodesFromMils = readTwoNodesFrom(options);
  const { quorum = 2, waitMs = 8000, pollMs = 500, dataDir = ".data", finality = "included" } = options;
  const isOneEnough = (amountMils: Mils) => quorum === 1 && amountMils < twoNodesFromMils;
  const store = options.store ?? openPaymentStore({ redisUrl: options.redisUrl, dataDir });
  const client =
    options.client ??
    createHiveClient({
      nodes: options.nodes ?? MAINNET_NODES,
      chainId: options.chainId ?? MAINNET_CHAIN_ID,
    });
  const networks = networkNames(client.chainId);
  const { publicNodes = [] } = options;
  const clock = createChainClock(client, { isOneEnough: quorum === 1 });
  const ledger = createLedger(store, clock, options.onFault);
  const tell = createTeller(options.onEvent);
  const withinCheckTime = createTimeLimit(CHECK_MS);
  const check = createChainCheck({ client, clock, isOneEnough });
  const tracker = createTracker({
    client,
    clock,
    isOneEnough,
    waitMs,
    pollMs,
    onResend: (record) => tell("resent", record),
  });
  const settler = createSettler({
    ledger,
    tracker,
    check: (payment) => withinCheckTime((signal) => check(payment, signal)),
    finality,
    tell,
  });
  const caip = caipOf(client.chainId);
  // Nothing but its block proves a sent transfer, so one node is never enough.
  const strictClock = quorum === 1 ? createChainClock(client, { isOneEnough: false }) : clock;
  const sentTransfers = createSentTransfers({
    ...{ store, finality, caip },
    index: createTransferIndex({ client, pollMs, clock: strictClock, seller: options.sweeps }),
  });
  const sweep = createSweep({ store, client, clock: strictClock, caip, network: networks[0] });
  const health = createHealth({
    clock,
    store,
    network,
    trustNote: trustNote(client.health().length, quorum),
    onClock: options.onClock,
  });
  const sellers = openAsk(options.catalogue);
  const catalogue =
    sellers && createCatalogue({ store, networks, ask: sellers.ask, onFault: options.onFault });
  let recovery: Recovery | undefined;
  let recovering: Promise<void> | null = null;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  const closing = new AbortController();

  const sweepHourly = async () => {
    if (options.sweeps === undefined || performance.now() - sweptAtMs < SWEEP_EVERY_MS) return;
    await sweep(options.sweeps, closing.signal);
    sweptAtMs = performance.now();
  };
  const recoverAll = async () => {
    // Payments under way do not wait for a long history.
    await settler.recover(closing.signal);
    await sweepHourly();
  };

  const recover = () => {
    recovering ??= asking(recoverAll())
      .catch((error: unknown) => {
        throw toFacilitatorError(error);
      })
      .finally(() => {
        recovering = null;
      });
    return recovering;
  };

  const verify = async (
    payment: ParsedPayment | ParsedTicket,
    signal: AbortSignal,
  ): Promise<VerifyResponse> => {
    if ("ticket" in payment) return asking(sentTransfers.verify(payment));
    const payer = payment.transfer.from;
    const known = await ledger.find(payment.transfer.ids.legacy);
    if (known && settler.isSuccessDelivered(known.record))
      return refusedVerification({ reason: "payment_replayed", payer });
    // The payment is claimed, and no caller has received the success yet, so settling will decide, whatever
    // the time and balance are now. This includes a refused payment, which may have got into a block.
    if (known && known.record.failure !== "transaction_expired") return { isValid: true, payer };
    const checked = await asking(check(payment, signal));
    return "reason" in checked ? refusedVerification(checked) : { isValid: true, payer };
  };

  const settle = async (payment: ParsedPayment | ParsedTicket, given: SettleOptions): Promise<Settlement> => {
    if ("ticket" in payment) {
      const settlement = await withinCheckTime((late) =>
        underSignals([given.signal, late], (signal) =>
          asking(sentTransfers.settle(payment, { ...given, signal })),
        ),
      );
      const { success, txId } = settlement;
      if (success && txId) catalogue?.consider({ ...payment.announced, txId, payTo: payment.payTo });
      return settlement;
    }
    const settlement = await asking(settler.settle(payment, given));
    const { to, ids } = payment.transfer;
    if (settlement.success) catalogue?.consider({ ...payment.announced, txId: ids.legacy, payTo: to });
    // An answer stored under another name of the chain is returned under the caller's own.
    return { ...settlement, network: payment.network };
  };

  const find = async <Query, Found>(
    schema: z.ZodType<Query>,
    query: unknown,
    choose: (listings: readonly Listing[], query: Query) => Found,
  ): Promise<Found> => {
    try {
      const wanted = parse(schema, query);
      return choose((await catalogue?.read()) ?? [], wanted);
    } catch (error) {
      throw toFacilitatorError(error);
    }
  };

  /** Reads the body, runs the work on it, and reports the outcome. */
  const answer = async <T extends { payer?: string; txId?: string }>(
    call: PaymentAnswer["call"],
    body: unknown,
    parts: {
      work: (payment: ParsedPayment | ParsedTicket) => Promise<T>;
      refuse: (refusal: Refusal) => T;
      reasonOf: (answer: T) => string | undefined;
    },
  ): Promise<T> => {
    const startedAtMs = performance.now();
    let outcome = "internal";
    let subject: Pick<PaymentAnswer, "payer" | "txId"> = {};
    try {
      const payment = parsePaymentRequest(parse(PaymentRequest, body), networks);
      subject = subjectOf(payment);
      const given = "reason" in payment ? parts.refuse(payment) : await parts.work(payment);
      outcome = parts.reasonOf(given) ?? "ok";
      if (given.txId !== undefined) subject.txId = given.txId;
      return given;
    } catch (error) {
      if (error instanceof CodedError) outcome = error.code;
      throw toFacilitatorError(error);
    } finally {
      options.onAnswer?.({ call, outcome, seconds: (performance.now() - startedAtMs) / 1000, ...subject });
    }
  };

  return {
    network,
    verify: (body) =>
      answer<VerifyResponse & { txId?: string }>("verify", body, {
        work: (payment) => withinCheckTime((signal) => verify(payment, signal)),
        refuse: refusedVerification,
        reasonOf: ({ invalidReason }) => invalidReason,
      }),
    settle: (body, given = {}) =>
      answer("settle", body, {
        work: (payment) => settle(payment, given),
        refuse: (refusal) => refusedSettlement(refusal, network),
        reasonOf: ({ errorReason }) => errorReason,
      }),
    supported: () => ({
      kinds: [1, 2].flatMap((x402Version) =>
        networks.map((name) => {
          const extra = {
            ...(publicNodes.length > 0 && { chainId: client.chainId, nodes: [...publicNodes] }),
            ...(x402Version === 2 && { assetTransferMethods: ["memo"] }),
          };
          const kind = { x402Version, scheme: "exact" as const, network: name };
          return Object.keys(extra).length > 0 ? { ...kind, extra } : kind;
        }),
      ),
      extensions: catalogue ? [BAZAAR] : [],
      signers: {},
    }),
    health: health.read,
    listResources: (query = {}) => find(ResourcesQuery, query, pageOf),
    searchResources: (query) => find(SearchQuery, query, searchIn),
    recover,
    start() {
      recovery ??= startRecovery({
        store,
        recover,
        everyMs: options.recoverEveryMs ?? 15_000,
        onRound: () => void health.watchClock(),
        onFault: options.onFault,
      });
    },
    async close() {
      closing.abort();
      await createTimeLimit(LAST_LOOK_MS)(async () => recovering).catch(() => {
        // `start` has reported the failure, or the next process will.
      });
      await recovery?.end();
      await catalogue?.close();
      await sellers?.close();
      if (!options.client) await client.close();
      if (!options.store) await store.close();
    },
  };
}

/** Returns the account and transaction of a request, for the log. */
function subjectOf(payment: ParsedPayment | ParsedTicket | Refusal): Pick<PaymentAnswer, "payer" | "txId"> {
  if ("ticket" in payment) return {};
  if (!("reason" in payment)) return { payer: payment.transfer.from, txId: payment.transfer.ids.legacy };
  const { payer, txId } = payment;
  return { ...(payer !== undefined && { payer }), ...(txId !== undefined && { txId }) };
}

function parse<T>(schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
  throw new CodedError("invalid_request", { issues: issues.slice(0, 20) });
}

/**
 * Turns a node's refusal of a read into `chain_unavailable`: such a node is worth no more than an unreachable
 * one.
 */
async function asking<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ChainError ? new CodedError("chain_unavailable", { cause: error }) : error;
  }
}
