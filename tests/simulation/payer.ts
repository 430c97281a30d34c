import { formatMils, toMils } from "../../lib/mils.ts";
import type { Store } from "../../lib/store/store.ts";
import { accounts } from "./accounts.ts";
import { asRead } from "./broken-answer.ts";
import { copyOf } from "./copier.ts";
import type { Budget, LedgerOfTruth, Truth } from "./ledger-of-truth.ts";
import { NONSENSE, type Question } from "./network.ts";
import { pause, transferOf } from "./roles.ts";
import type { SimulatedProcess, Slot, Stage } from "./simulated-process.ts";
import { openStore, type StoreServer } from "./simulated-store.ts";

const CALLS_MOST = 4;

/** The payer's life in which a payment was signed, and the time. */
export type Birth = { life: number; at: number };

/** Wraps the store to observe payments, which are stored before they are sent. */
function notingBirths(store: Store, born: (header: string) => void): Store {
  const note = (value: string) => {
    for (const [, header = ""] of value.matchAll(/"header":"([^"]+)"/g)) born(header);
  };
  return {
    ...store,
    setIfAbsent(key, value, ttl) {
      note(value);
      return store.setIfAbsent(key, value, ttl);
    },
    replace(key, expected, value, ttl) {
      note(value);
      return store.replace(key, expected, value, ttl);
    },
  };
}

/** Something that the payer wants to buy. */
export type Errand = {
  name: string;
  url: string;
  startAt: number;
  calls: number;
  isDone: boolean;
  outcome: string;
};

/** Starts the payer: it repeats the call of each pending errand until the errand succeeds or is given up. */
export function bootPayer(
  { stage, slot, truth, nodes, budget, purse, births, hasHolder }: PayerRole,
  process: SimulatedProcess,
  errands: readonly Errand[],
  onSigned: (payment: Truth) => void,
): void {
  const { scheduler, chance, note } = stage;
  const moods = chance.stream(`${process.name}.mood`);
  const { life } = process;
  /**
   * Records the time of a payment's signature if the payment is new. The payment may be sent much later, and
   * by a later life.
   */
  const born = (header: string): Birth => {
    const { ids } = transferOf(header);
    const birth = births.get(ids.legacy) ?? { life: process.life, at: scheduler.now() };
    births.set(ids.legacy, birth);
    return birth;
  };
  const begunAt = new Map<string, number>();
  const observe = (question: Question) => {
    const header = question.headers["x-payment"];
    if (header === undefined) return;
    const transfer = transferOf(header);
    const known = truth.truths.has(transfer.ids.legacy);
    const named = question.headers["x-call"] ?? "";
    const birth = born(header);
    const isOlder = birth.at < (begunAt.get(named) ?? 0);
    const call = isOlder ? `before ${named} ${transfer.ids.legacy}` : named;
    const { url } = question;
    const payment = truth.signed({ transfer, header, url, call, payerLife: birth.life, hasHolder });
    if (!known) onSigned(payment);
  };
  const payingFetch = slot.product.createPayingFetch({
    account: "alice",
    activeKey: accounts.alice.wif,
    nodes,
    maxPayment: formatMils(toMils(budget.maxMils)),
    budget: {
      perDay: formatMils(toMils(budget.perDayMils)),
      perHost: formatMils(toMils(budget.perHostMils)),
      ...(purse && {
        store: notingBirths(
          openStore(stage, process, purse.server, {
            scale: purse.scale,
            storeFailure: slot.product.storeFailure,
          }),
          (header) => born(header),
        ),
      }),
    },
    fetch: async (input, init = {}) => {
      const question: Question = {
        url: String(input),
        method: init.method ?? "GET",
        headers: Object.fromEntries(new Headers(init.headers)),
        body: undefined,
        signal: init.signal ?? undefined,
      };
      // A dead process sends nothing, even at the moment of its death.
      if (!process.isAlive || process.life !== life) return new Promise(() => {});
      const { "x-payment": payment } = question.headers;
      if (payment !== undefined && !hasHolder) question.headers["x-payment"] = copyOf(payment);
      observe(question);
      return asRead(await process.ask(question));
    },
  });

  const run = async (errand: Errand) => {
    if (scheduler.now() < errand.startAt) await pause(process, errand.startAt - scheduler.now());
    while (!errand.isDone) {
      const impatience = moods.deviate({ "goes away": 0.1 });
      const controller = new AbortController();
      if (impatience) process.setTimer(() => controller.abort(), 200 + impatience.size * 12_000);
      const headers = { "x-call": `${errand.name}.${errand.calls++}` };
      begunAt.set(headers["x-call"], scheduler.now());
      try {
        const response = await payingFetch(errand.url, { headers, signal: controller.signal });
        const text = await response.text();
        errand.outcome = `${response.status} ${text.slice(0, 60)}`;
        // The payer asks again if it gets other content than it wanted.
        if (response.ok && text !== NONSENSE.body) errand.isDone = true;
      } catch (error) {
        const { name, code } = error as { name: string; code?: string };
        errand.outcome = `${name} ${code ?? ""}`;
        if (error instanceof RangeError || name === "ReferenceError")
          stage.violate(`the paying client threw ${String(error)}`);
      }
      note(`${errand.name}: ${errand.outcome}`);
      if (errand.calls >= CALLS_MOST) errand.isDone = true;
      if (!errand.isDone) await pause(process, 500 + moods.next() * 10_000);
    }
  };
  for (const errand of errands)
    if (!errand.isDone) run(errand).catch((error: unknown) => stage.violate(`payer: ${String(error)}`));
}

export type PayerRole = {
  stage: Stage;
  slot: Slot;
  truth: LedgerOfTruth;
  nodes: readonly string[];
  budget: Budget;
  /** The store in which the payer's spending and sent payments survive a crash; `null` for memory only. */
  purse: { server: StoreServer; scale: number } | null;
  /** The times when the payer's payments were signed, by their ids. */
  births: Map<string, Birth>;
  /** True if the payer's payments show their holder's secret, unlike those of other clients. */
  hasHolder: boolean;
};
