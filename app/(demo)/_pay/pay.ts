import type { SignTransaction } from "../../../lib/x402/client/index.ts";
import type { ChainHere } from "../_session/chain-here.tsx";
import { signTransactionWithKeychain } from "../_session/keychain.ts";
import type { FlowStep } from "../_wire/flow-step.ts";
import { readHbd } from "./amounts.ts";
import { createWatchedFetch, type PayStep } from "./flow.ts";
import { remainingOf, type SpendGuard } from "./spend-guard.ts";

export type Target = { method: "GET" | "POST"; url: string };
/** Who pays; a sandbox account's key is public and signs in this page. */
export type Payer = { account: string; activeKey: string | null };

export type Watch = {
  onStep(step: PayStep): void;
  /** A wallet asks its owner; after so many milliseconds its signature comes too late. */
  onWallet(leftMs: number): void;
  onFlow(step: FlowStep): void;
  onSigned(millis: number): void;
  /** Ends the waiting for a wallet. */
  signal: AbortSignal;
  /** It signed all the same when nobody waited any more, and that pays nothing. */
  onLate(): void;
};

type PayingClient = { pay: typeof fetch; watch: Watch };

/** What a payment needs after it is signed, to reach a block before it expires. */
const SETTLING_MS = 15_000;

/** Payments that may be on their way: the client that signed one sends the same one again. */
const unfinished = new Map<string, PayingClient>();

/**
 * Asks for a resource and pays for it within the guard's limits.
 * @throws PaymentError when nothing was paid; what `fetch` throws when there was no answer
 */
export async function pay(
  target: Target,
  { payer, chain, guard, watch }: { payer: Payer; chain: ChainHere; guard: SpendGuard; watch: Watch },
): Promise<Response> {
  const key = `${payer.account} ${target.method} ${target.url}`;
  const client = unfinished.get(key) ?? (await createPayingClient(payer, chain, guard, watch));
  client.watch = watch;
  unfinished.set(key, client);
  try {
    const response = await client.pay(new URL(target.url, location.href), {
      method: target.method,
      headers: { accept: "application/json" },
    });
    if (response.status < 500) unfinished.delete(key);
    return response;
  } catch (error) {
    if ((error as Error).name === "PaymentError") unfinished.delete(key);
    throw error;
  }
}

async function createPayingClient(
  payer: Payer,
  chain: ChainHere,
  guard: SpendGuard,
  watch: Watch,
): Promise<PayingClient> {
  const { createPayingFetch } = await import("../../../lib/x402/client/index.ts");
  const watched = () => client.watch;
  const askWallet: SignTransaction = (transfer, account) => {
    watched().onWallet(serverClock.until(Date.parse(`${transfer.expiration}Z`)) - SETTLING_MS);
    return signTransactionWithKeychain(account, transfer, watched());
  };
  const sign: SignTransaction = async (transfer, account) => {
    watched().onStep("sign");
    const startedAt = performance.now();
    const [[, { amount, to, memo }]] = transfer.operations;
    const signed =
      payer.activeKey === null
        ? await askWallet(transfer, account)
        : await signHere(transfer, payer.activeKey, chain);
    watched().onFlow({
      kind: "sign",
      method: "SIGN",
      url: `transfer ${amount} to @${to}`,
      status: null,
      ms: performance.now() - startedAt,
      headers: [
        ["memo", memo],
        ["expiration", transfer.expiration],
      ],
    });
    watched().onSigned(readHbd(amount) ?? 0);
    return signed;
  };
  const client: PayingClient = {
    watch,
    pay: createPayingFetch({
      account: payer.account,
      signTransaction: sign,
      maxPayment: guard.paymentMillis / 1000,
      budget: { perHost: remainingOf(guard) / 1000 },
      allowedHosts: [location.host],
      fetch: serverClock.watch(createWatchedFetch(watched)),
      nodes: chain.nodes,
      chainId: chain.chainId,
    }),
  };
  return client;
}

const signHere = async (transfer: Parameters<SignTransaction>[0], key: string, chain: ChainHere) => {
  const { signWithKey } = await import("../../../lib/x402/client/sign-with-key.ts");
  return { ...transfer, signatures: [signWithKey(transfer, key, chain.chainId)] };
};

/** The server's time by its last answer: offers end by its clock, and this machine's may be wrong. */
const serverClock = (() => {
  let told: { ms: number; at: number } | null = null;
  return {
    /** How long it is until `endMs`; a minute where no answer told the time. */
    until: (endMs: number) => (told ? endMs - told.ms - (performance.now() - told.at) : 60_000),
    watch:
      (fetcher: typeof fetch): typeof fetch =>
      async (input, init) => {
        const response = await fetcher(input, init);
        const ms = Date.parse(response.headers.get("date") ?? "");
        if (!Number.isNaN(ms)) told = { ms, at: performance.now() };
        return response;
      },
  };
})();
