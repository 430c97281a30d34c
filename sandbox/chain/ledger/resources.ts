import { notEnoughResources } from "../errors.ts";
import type { Account, State } from "../types.ts";

const FULL_AFTER_SECONDS = 432_000;
const COST_OF_A_TRANSACTION = 4_000_000;
const COST_OF_A_BYTE = 2_000;

/** What a transaction of that many bytes costs in resource credits. */
export function resourceCost(bytes: number): number {
  return COST_OF_A_TRANSACTION + bytes * COST_OF_A_BYTE;
}

/** The credits that an account has at chain time `now`: they grow back to the full within five days. */
export function resourcesAt({ resources }: Account, now: number): number {
  const grown = Math.floor((resources.max * Math.max(0, now - resources.updated)) / FULL_AFTER_SECONDS);
  return Math.min(resources.max, resources.current + grown);
}

/** Takes the cost of a transaction from its payer, in a draft of the caller. */
export function chargeResources(state: State, payer: string, cost: number, now: number): void {
  const account = state.accounts.get(payer);
  if (!account) return;
  const current = resourcesAt(account, now);
  if (current < cost) throw notEnoughResources(payer, current, cost);
  state.accounts.set(payer, {
    ...account,
    resources: { ...account.resources, current: current - cost, updated: now },
  });
}
