import { formatMils, toMils } from "../../lib/mils.ts";
import { accounts } from "./accounts.ts";
import { copyOf } from "./copier.ts";
import { fetchFrom } from "./fetch-from.ts";
import type { Budget, LedgerOfTruth, Truth } from "./ledger-of-truth.ts";
import { NONSENSE } from "./network.ts";
import { pause } from "./roles.ts";
import type { SimulatedProcess, Slot, Stage } from "./simulated-process.ts";
import { openStore, type StoreServer } from "./simulated-store.ts";
import { type Birth, createWatchedPurse } from "./watched-purse.ts";

const CALLS_MOST = 4;

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
  const watched = createWatchedPurse(process, { truth, births, hasHolder, onSigned });
  const payingFetch = slot.product.createPayingFetch({
    account: "alice",
    activeKey: accounts.alice.wif,
    nodes,
    maxPayment: formatMils(toMils(budget.maxMils)),
    budget: {
      perDay: formatMils(toMils(budget.perDayMils)),
      perHost: formatMils(toMils(budget.perHostMils)),
      ...(purse && {
        store: watched.watch(
          openStore(stage, process, purse.server, {
            scale: purse.scale,
            storeFailure: slot.product.storeFailure,
          }),
        ),
      }),
    },
    fetch: fetchFrom(process, (question) => {
      const { "x-payment": payment } = question.headers;
      if (payment !== undefined && !hasHolder) question.headers["x-payment"] = copyOf(payment);
      watched.observe(question);
    }),
  });

  const run = async (errand: Errand) => {
    if (scheduler.now() < errand.startAt) await pause(process, errand.startAt - scheduler.now());
    while (!errand.isDone) {
      const impatience = moods.deviate({ "goes away": 0.1 });
      const controller = new AbortController();
      if (impatience) process.setTimer(() => controller.abort(), 200 + impatience.size * 12_000);
      const headers = { "x-call": `${errand.name}.${errand.calls++}` };
      watched.begin(headers["x-call"]);
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
