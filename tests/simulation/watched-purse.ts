import type { Store } from "../../lib/store/store.ts";
import type { LedgerOfTruth, Truth } from "./ledger-of-truth.ts";
import type { Question } from "./network.ts";
import { transferOf } from "./roles.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** The payer's life in which a payment was signed, and the time. */
export type Birth = { life: string; at: number };

/** Reports every payment of a payer to the ledger, from its signature on. */
export type WatchedPurse = {
  /** Wraps the store to observe payments, which are stored before they are sent. */
  watch(store: Store): Store;
  /** Records the beginning of a call, which the payer names in the header `x-call`. */
  begin(call: string): void;
  /** Observes a request before it is sent. */
  observe(question: Question): void;
};

/** Creates the watch over a payer's process. `births` outlives the process. */
export function createWatchedPurse(
  process: SimulatedProcess,
  given: {
    truth: LedgerOfTruth;
    /** The times when the payer's payments were signed, by their ids. */
    births: Map<string, Birth>;
    /** True if the payer's payments show their holder's secret. */
    hasHolder: boolean;
    /** Called with each payment that is stored, before it is sent. */
    onBorn?: (header: string) => void;
    onSigned: (payment: Truth) => void;
  },
): WatchedPurse {
  const { truth, births, hasHolder } = given;
  const { scheduler } = process.stage;
  const begunAt = new Map<string, number>();
  /**
   * Records the time of a payment's signature if the payment is new. The payment may be sent much later, and
   * by a later life.
   */
  const born = (header: string): Birth => {
    const { ids } = transferOf(header);
    const life = `${process.name}/${process.life}`;
    const birth = births.get(ids.legacy) ?? { life, at: scheduler.now() };
    births.set(ids.legacy, birth);
    return birth;
  };
  const note = (value: string) => {
    for (const [, header = ""] of value.matchAll(/"header":"([^"]+)"/g)) {
      born(header);
      given.onBorn?.(header);
    }
  };

  return {
    watch: (store) => ({
      ...store,
      setIfAbsent(key, value, ttl) {
        note(value);
        return store.setIfAbsent(key, value, ttl);
      },
      replace(key, expected, value, ttl) {
        note(value);
        return store.replace(key, expected, value, ttl);
      },
    }),
    begin: (call) => void begunAt.set(call, scheduler.now()),
    observe({ url, headers }) {
      const header = headers["x-payment"];
      if (header === undefined) return;
      const transfer = transferOf(header);
      const known = truth.truths.has(transfer.ids.legacy);
      const named = headers["x-call"] ?? "";
      const birth = born(header);
      const isOlder = birth.at < (begunAt.get(named) ?? 0);
      const call = isOlder ? `before ${named} ${transfer.ids.legacy}` : named;
      const payment = truth.signed({ transfer, header, url, call, payerLife: birth.life, hasHolder });
      if (!known) given.onSigned(payment);
    },
  };
}
