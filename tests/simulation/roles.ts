import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { MAINNET_CHAIN_ID } from "../../lib/chains.ts";
import { decodePayment } from "../../lib/x402/codec.ts";
import type { PaymentFlow } from "../../lib/x402/paywall/payment-flow.ts";
import { readTransfer, type SignedTransfer } from "../../lib/x402/transfer.ts";
import type { Facilitator, SettleResponse } from "../../lib/x402/types.ts";
import { breakingContent, halfOf, leaveEarly } from "./broken-answer.ts";
import type { Attempt, LedgerOfTruth } from "./ledger-of-truth.ts";
import type { Answer, Question } from "./network.ts";
import type { createReturns } from "./returner.ts";
import type { SentLedger } from "./sent-truth.ts";
import type { SimulatedProcess, Slot, Stage } from "./simulated-process.ts";
import { openStore, type StoreServer } from "./simulated-store.ts";
import { OWNED_PATH } from "./world.ts";

export type Terms = {
  nodes: readonly string[];
  prices: Readonly<Record<string, string>>;
  /** A later price of a page, and its time. */
  rise: { path: string; atMs: number; amount: string } | null;
  shopFinality: "included" | "irreversible";
  facilitatorFinality: "included" | "irreversible";
  binding: "require" | "prefer";
  flow: PaymentFlow;
  storeScale: number;
  waitMs: number;
  pollMs: number;
  recoverEveryMs: number;
};

/** A server process's handler of a request, whose body is passed separately. */
export type Face = (request: Request, body: string) => Promise<Response>;

type Role = {
  stage: Stage;
  slot: Slot;
  truth: LedgerOfTruth;
  /** The ledger of transfers that wallets send; null if none does. */
  sent: SentLedger | null;
  terms: Terms;
};

/** Starts a facilitator in a process. Its face has `/verify`, `/settle` and `/supported`. */
export function bootFacilitator(
  { stage, slot, truth, sent, terms }: Role,
  process: SimulatedProcess,
  server: StoreServer,
) {
  const { createFacilitator, createFacilitatorHandlers, storeFailure } = slot.product;
  const facilitator = createFacilitator({
    store: openStore(stage, process, server, { scale: terms.storeScale, storeFailure }),
    nodes: terms.nodes,
    chainId: MAINNET_CHAIN_ID,
    finality: terms.facilitatorFinality,
    waitMs: terms.waitMs,
    pollMs: terms.pollMs,
    recoverEveryMs: terms.recoverEveryMs,
    onFault: (error) => {
      if (!isExpected(error)) stage.violate(`${process.name}: recovery failed: ${describe(error)}`);
    },
  });
  facilitator.start();
  const handlers = createFacilitatorHandlers(facilitator, (error) =>
    stage.violate(`${process.name}: ${describe(error)}`),
  );
  /** A thief does not request finality. */
  const isFinalFor = (body: string) =>
    terms.facilitatorFinality === "irreversible" || body.includes('"finality":"irreversible"');
  let calls = 0;
  /** Identifies the caller. A key stands for all repeats of its caller. */
  const markOf = (key: string | null | undefined) => key ?? `${process.name}/${process.life}/${calls++}`;
  const watch = (
    { success, txId = "", blockNum, errorReason }: SettleResponse,
    mark: string,
    body: string,
  ) => {
    const isFinalWanted = isFinalFor(body);
    if (errorReason === "broadcast_rejected") truth.rejected(txId);
    const ledger = sent?.has(txId) ? sent : truth;
    if (success && process.isAlive) ledger.succeeded({ txId, blockNum, mark, isFinalWanted });
  };
  const face: Face = async (request, body) => {
    if (request.url.endsWith("/supported")) return handlers.supported(request);
    if (!request.url.endsWith("/settle")) return handlers.verify(request);
    const mark = markOf(request.headers.get("idempotency-key"));
    const response = await handlers.settle(request);
    if (response.ok) watch((await response.clone().json()) as SettleResponse, mark, body);
    return response;
  };
  const embedded: Facilitator = {
    verify: (body) => facilitator.verify(body),
    async settle(body, options) {
      const mark = markOf(options?.idempotencyKey);
      const answer = await facilitator.settle(body, options);
      watch(answer, mark, JSON.stringify(body));
      return answer;
    },
  };
  return { face, embedded };
}

/** A header identifies a signed-in caller. */
const access = { for: "30d", account: (request: Request) => request.headers.get("x-session") };

/** Starts a shop in a process, which sells `terms.prices`. */
export function bootShop(
  { stage, slot, truth, sent, terms }: Role,
  process: SimulatedProcess,
  given: {
    server: StoreServer;
    facilitator: { facilitatorUrl: string } | { facilitator: Facilitator };
    /** The signer of returns; null if wrong transfers are noted only. */
    refunds: ReturnType<typeof createReturns> | null;
  },
): Face {
  const { withPaywall, noteResponse, storeFailure } = slot.product;
  const store = openStore(stage, process, given.server, { scale: terms.storeScale, storeFailure });
  const moods = stage.chance.stream(`${process.name}.handler`);
  const readers = stage.chance.stream(`${process.name}.readers`);
  const { rise } = terms;
  const priceOf = (path: string, amount: string) => {
    if (rise?.path !== path) return amount;
    return () => (stage.scheduler.now() < rise.atMs ? amount : rise.amount);
  };
  const pages = Object.entries(terms.prices).map(([path, amount]) => {
    const page = withPaywall(
      {
        ...given.facilitator,
        amount: priceOf(path, amount),
        store,
        receivingAccount: "shop",
        secret: "the shop's secret",
        binding: terms.binding,
        paymentFlow: terms.flow,
        finality: terms.shopFinality,
        ...(sent && { transfers: true }),
        ...(given.refunds && { refunds: given.refunds }),
        onFault: () => {},
        ...(path === OWNED_PATH && { access }),
      },
      async (request, { txId }) => {
        const mood = moods.deviate({
          ...{ throws: 0.06, "answers 500": 0.06, hangs: 0.06 },
          ...{ "answers 429": 0.03, "breaks off": 0.06 },
        });
        if (mood) stage.note(`${process.name}: the handler ${mood.kind}`);
        if (mood?.kind === "hangs") await pause(process, mood.size * 20_000);
        if (mood?.kind === "throws") throw new Error("out of order");
        if (mood?.kind === "answers 500") return new Response("out of order", { status: 500 });
        if (mood?.kind === "answers 429") return new Response("busy", { status: 429 });
        if (sent?.has(txId)) {
          const attempt = sent.handled(txId, process);
          attempts.set(request, attempt);
          if (mood?.kind === "breaks off") return new Response(breakingContent());
          attempt.hasWorked = true;
          return new Response(`content for ${txId}`);
        }
        const header = request.headers.get("x-payment");
        const ids = header === null ? null : transferOf(header).ids;
        // The content was bought before, with another payment.
        if (ids === null || (txId !== ids.legacy && txId !== ids.hf26))
          return new Response(`owned by ${txId}`);
        const contentId = ids.legacy;
        const attempt = truth.handled(contentId, process);
        attempts.set(request, attempt);
        if (mood?.kind === "breaks off") return new Response(breakingContent());
        attempt.hasWorked = true;
        return new Response(`content for ${contentId}`);
      },
    );
    return [path, page] as const;
  });
  const attempts = new Map<Request, Attempt>();
  const byPath = new Map(pages);

  return async (request) => {
    const { life } = process;
    const page = byPath.get(new URL(request.url).pathname);
    const outgoing = createOutgoing();
    noteResponse(request, outgoing.response);
    const response = page ? await page(request) : new Response("no such page", { status: 404 });
    const attempt = attempts.get(request);
    const leaving = attempt && response.ok ? readers.deviate({ "leaves early": 0.06 }) : null;
    if (leaving) stage.note(`${process.name}: the reader ${leaving.kind}`);
    const text = leaving ? await leaveEarly(response) : await response.text().catch(() => undefined);
    if (process.life !== life) return response;
    const isGone = request.signal.aborted;
    outgoing.end(text !== undefined && !isGone);
    if (attempt) attempt.end = endOf(text, isGone);
    if (text === undefined) return halfOf(response);
    if (!isGone && text.startsWith("content for ")) {
      const contentId = text.slice("content for ".length);
      (sent?.has(contentId) ? sent : truth).delivered(contentId);
    }
    const { status, headers } = response;
    return new Response(text, { status, headers });
  };
}

/** Creates the part of a `node:http` response that a paywall uses: whether it was passed on completely. */
function createOutgoing() {
  const events = new EventEmitter();
  const response = Object.assign(events, {
    ...{ destroyed: false, headersSent: true, socket: { destroyed: false } },
  }) as unknown as ServerResponse;
  return { response, end: (isWhole: boolean) => void events.emit(isWhole ? "finish" : "close") };
}

/**
 * Returns the outcome of producing content, as read from its answer, or undefined if the answer broke off.
 */
function endOf(text: string | undefined, isGone: boolean): Attempt["end"] {
  if (text !== undefined && !text.startsWith("content for ")) return "withheld";
  return text === undefined || isGone ? "broken" : "over";
}

/** Turns a face into a machine on the network. A crash while it works is a breakdown. */
export async function answerWith(
  face: Face | null,
  process: SimulatedProcess,
  question: Question,
): Promise<Answer> {
  const { life } = process;
  const { method, headers, body, signal } = question;
  const request = new Request(question.url, {
    method,
    headers,
    ...(body && { body }),
    signal: signal ?? null,
  });
  process.keep(request);
  const response = await (face ?? (() => Promise.reject(new Error("not started"))))(request, body ?? "");
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
  if (process.life !== life) throw new Error("died");
  return answer;
}

/** Waits within a process, by its timers. */
export function pause(process: SimulatedProcess, ms: number): Promise<void> {
  return new Promise((resolve) => void process.setTimer(resolve, ms));
}

const transfers = new Map<string, SignedTransfer>();
const TRANSFERS_MOST = 500;

/** Returns the transfer in a payment header. @throws Error if there is none */
export function transferOf(header: string): SignedTransfer {
  const known = transfers.get(header);
  if (known) return known;
  const transfer = readTransfer(decodePayment(header).payload.signedTransaction);
  if (typeof transfer === "string") throw new Error(`a payment that is no transfer: ${transfer}`);
  if (transfers.size >= TRANSFERS_MOST) transfers.clear();
  transfers.set(header, transfer);
  return transfer;
}

/** Returns whether an error during recovery comes from an unavailable store or chain. */
function isExpected(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "degraded" || code === "chain_unavailable";
}

export const describe = (error: unknown) =>
  error instanceof Error ? `${error.name}: ${error.message} ${String(error.cause ?? "")}` : String(error);
