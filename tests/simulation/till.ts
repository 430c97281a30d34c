import { MAINNET_CHAIN_ID } from "../../lib/chains.ts";
import { formatMils, type Mils, toMils } from "../../lib/mils.ts";
import { accounts } from "./accounts.ts";
import type { LedgerOfTruth, Truth } from "./ledger-of-truth.ts";
import type { RefundTruth } from "./refund-truth.ts";
import { describe, pause, type Terms } from "./roles.ts";
import type { SimulatedProcess, Slot, Stage } from "./simulated-process.ts";
import { openStore } from "./simulated-store.ts";
import { CALM_AT_MS } from "./world.ts";

const LOOK_EVERY_MS = 2000;
const RECOVER_EVERY_MS = 15_000;
const TRIES_MOST = 300;
/** After this time no block can include a payment of the paying client. */
const LIFE_MS = 62_000;

/** The seller's decision to refund a payment at one of its tills. */
export type RefundOrder = {
  till: string;
  payment: Truth;
  dueAt: number;
  /** Another amount than the payment's. */
  amountMils: Mils | undefined;
  isDone: boolean;
};

/** Decides with each signed payment whether it will be refunded, charged or not, and at which tills. */
export function createRefundOrders({ chance, scheduler, note }: Stage) {
  const stream = chance.stream("refunds");
  const orders: RefundOrder[] = [];
  const order = (payment: Truth): void => {
    const wish = stream.deviate({ "is refunded": 0.4, "is refunded at two tills": 0.5 });
    if (!wish) return;
    const { amountMils: paid } = payment.transfer;
    const amountMils = stream.pick([undefined, undefined, toMils(Math.ceil(paid / 2)), toMils(paid * 2)]);
    const tills = wish.kind === "is refunded" ? ["till1.sim"] : ["till1.sim", "till2.sim"];
    const dueAt = scheduler.now() + wish.size * 40_000;
    note(`payment ${payment.transfer.ids.legacy.slice(0, 8)} ${wish.kind}, of ${amountMils ?? paid}`);
    for (const till of tills) orders.push({ till, payment, dueAt, amountMils, isDone: false });
  };
  return { orders, order };
}

/** Starts a till, which carries out the seller's orders and continues the recorded refunds. */
export function bootTill(
  {
    stage,
    slot,
    terms,
    ledger,
    truth,
    orders,
  }: {
    stage: Stage;
    slot: Slot;
    terms: Terms;
    ledger: LedgerOfTruth;
    truth: RefundTruth;
    orders: readonly RefundOrder[];
  },
  process: SimulatedProcess,
): void {
  const { scheduler, note } = stage;
  const { createPacedRefunds, storeFailure } = slot.product;
  const moods = stage.chance.stream(`${process.name}.mood`);
  const { life } = process;
  const refunds = createPacedRefunds(
    {
      account: accounts.shop.name,
      activeKey: accounts.shop.wif,
      store: openStore(stage, process, truth.store, { scale: terms.storeScale, storeFailure }),
      nodes: terms.nodes,
      chainId: MAINNET_CHAIN_ID,
    },
    { waitMs: terms.waitMs, pollMs: terms.pollMs },
  );

  const isNeverPaid = (payment: Truth) =>
    scheduler.now() > Math.max(CALM_AT_MS, payment.signedAt + LIFE_MS) && !ledger.isCharged(payment);

  /** Returns whether the seller asks no more after an error. */
  const isAnEnd = (error: unknown, { payment, amountMils }: RefundOrder): boolean => {
    const { code } = error as { code?: string };
    const name = `payment ${payment.transfer.ids.legacy.slice(0, 8)}`;
    switch (code) {
      case "chain_unavailable":
      case "degraded":
      case "payment_in_use":
        return false;
      case "payment_not_found":
      case "payment_not_final":
        return isNeverPaid(payment);
      case "amount_too_high":
        if ((amountMils ?? 0) <= payment.transfer.amountMils) stage.violate(`${name}: its refund is refused`);
        return true;
      case "already_refunded":
        if (!truth.isOnChain(payment)) stage.violate(`${name}: called refunded, and it is not`);
        return true;
      default:
        stage.violate(`${process.name}: ${describe(error)}`);
        return true;
    }
  };

  const carryOut = async (order: RefundOrder) => {
    const { payment, amountMils } = order;
    const amount = amountMils === undefined ? {} : { amount: formatMils(amountMils) };
    for (let tries = 0; !order.isDone; tries++) {
      try {
        const refund = await refunds.refund(payment.transfer.ids.legacy, "out of order", amount);
        truth.answered(refund);
        order.isDone = refund.state === "done";
      } catch (error) {
        note(`${process.name}: no refund: ${describe(error).slice(0, 80)}`);
        order.isDone = isAnEnd(error, order);
      }
      if (tries > TRIES_MOST) return stage.violate(`${process.name}: no end of a refund`);
      if (!order.isDone) await pause(process, 500 + moods.next() * 2500);
    }
  };

  const underWay = new Set<RefundOrder>();
  const look = () => {
    for (const order of orders) {
      if (order.till !== process.name || order.isDone || underWay.has(order)) continue;
      if (scheduler.now() < order.dueAt) continue;
      underWay.add(order);
      carryOut(order).catch((error: unknown) => stage.violate(`${process.name}: ${describe(error)}`));
    }
    process.setTimer(look, LOOK_EVERY_MS);
  };
  const recover = async () => {
    while (process.life === life) {
      await refunds.recover().catch((error: unknown) => {
        const { code } = error as { code?: string };
        if (code !== "degraded" && code !== "chain_unavailable")
          stage.violate(`${process.name}: recovery failed: ${describe(error)}`);
      });
      await pause(process, RECOVER_EVERY_MS);
    }
  };

  // A seller whose till died may not ask again. What is recorded must be paid nevertheless.
  if (life > 0)
    for (const order of orders)
      if (order.till === process.name && !order.isDone && order.dueAt <= scheduler.now())
        order.isDone = moods.next() < 0.5;
  look();
  void recover();
}
