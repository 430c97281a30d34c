import { formatMils, toMils } from "../../lib/mils.ts";
import { accounts } from "./accounts.ts";
import type { ApprovalTruth } from "./approval-truth.ts";
import { fetchFrom } from "./fetch-from.ts";
import type { LedgerOfTruth, Truth } from "./ledger-of-truth.ts";
import { NONSENSE } from "./network.ts";
import type { Errand } from "./payer.ts";
import { describe, pause } from "./roles.ts";
import { CHANNEL_ID, type SimulatedChat } from "./simulated-chat.ts";
import { SimulatedContext } from "./simulated-context.ts";
import type { SimulatedProcess, Slot, Stage } from "./simulated-process.ts";
import { openStore } from "./simulated-store.ts";
import { type Birth, createWatchedPurse } from "./watched-purse.ts";
import type { Asking } from "./world.ts";

const CALLS_MOST = 5;
/** After this time the agent does not begin a call. */
const LAST_CALL_MS = 1_500_000;

/** A request that one of the agent's processes makes, and the thread in which it asks. */
export type Wish = Errand & {
  process: string;
  /** Empty if each question starts a thread. */
  rootId: string;
  /** The reason in the question. Two processes that have the same wish give the same reason. */
  reason: string;
};

/** Starts a process of the agent, which makes its requests until each is answered, refused or given up. */
export function bootAgent(
  {
    stage,
    slot,
    ledger,
    truth,
    chat,
    asking,
    nodes,
    storeScale,
    births,
  }: {
    stage: Stage;
    slot: Slot;
    ledger: LedgerOfTruth;
    truth: ApprovalTruth;
    chat: SimulatedChat;
    asking: Asking;
    nodes: readonly string[];
    storeScale: number;
    births: Map<string, Birth>;
  },
  process: SimulatedProcess,
  onSigned: (payment: Truth) => void,
): void {
  const { scheduler, chance, note } = stage;
  const moods = chance.stream(`${process.name}.mood`);
  const { budget } = asking;
  /** The reason for the request that the running code belongs to. */
  const reasons = new SimulatedContext<string>();
  const watched = createWatchedPurse(process, {
    ...{ truth: ledger, births, hasHolder: true, onSigned },
    onBorn: (header) => truth.born(header, reasons.getStore() ?? "", process),
  });
  const ask = slot.product.createAskingFetch({
    account: accounts.carol.name,
    activeKey: accounts.carol.wif,
    owner: accounts.dave.name,
    chat: chat.connect(process, accounts.carol.name),
    nodes: [...nodes],
    payUpTo: formatMils(asking.payUpToMils),
    maxPayment: formatMils(toMils(budget.maxMils)),
    budget: {
      perDay: formatMils(toMils(budget.perDayMils)),
      perHost: formatMils(toMils(budget.perHostMils)),
      store: watched.watch(
        openStore(stage, process, truth.store, {
          scale: storeScale,
          storeFailure: slot.product.storeFailure,
        }),
      ),
    },
    onFault: (error) => note(`${process.name}: ${describe(error).slice(0, 80)}`),
    fetch: fetchFrom(process, watched.observe),
  });

  const run = async (wish: Wish) => {
    if (scheduler.now() < wish.startAt) await pause(process, wish.startAt - scheduler.now());
    while (!wish.isDone) {
      const impatience = moods.deviate({ "goes away": 0.12, "goes away for long": 0.1 });
      const controller = new AbortController();
      if (impatience) process.setTimer(() => controller.abort(), 200 + impatience.size * 30_000);
      const headers = { "x-call": `${process.name}.${wish.name}.${wish.calls++}` };
      watched.begin(headers["x-call"]);
      try {
        const place = { channelId: CHANNEL_ID, rootId: wish.rootId, reason: wish.reason };
        const response = await reasons.run(wish.reason, () =>
          ask(wish.url, { headers, signal: controller.signal }, place),
        );
        const text = await response.text();
        wish.outcome = `${response.status} ${text.slice(0, 60)}`;
        if (response.ok && text !== NONSENSE.body) wish.isDone = true;
      } catch (error) {
        const { name, code } = error as { name: string; code?: string };
        wish.outcome = `${name} ${code ?? ""}`;
        // The owner has declined, or let the time pass.
        if (code === "not_approved") wish.isDone = true;
        if (error instanceof RangeError || name === "ReferenceError")
          stage.violate(`the asking client threw ${String(error)}`);
      }
      note(`${wish.name}: ${wish.outcome}`);
      if (wish.calls >= CALLS_MOST || scheduler.now() > LAST_CALL_MS) wish.isDone = true;
      const awayMs = impatience?.kind === "goes away for long" ? impatience.size * 900_000 : 0;
      if (!wish.isDone) await pause(process, 500 + moods.next() * 10_000 + awayMs);
    }
  };
  for (const wish of asking.wishes)
    if (wish.process === process.name && !wish.isDone)
      run(wish).catch((error: unknown) => stage.violate(`agent: ${String(error)}`));
}
