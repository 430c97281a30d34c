import { MAINNET_CHAIN_ID } from "../../lib/chains.ts";
import { accounts } from "./accounts.ts";
import { describe, pause, type Terms } from "./roles.ts";
import type { SimulatedProcess, Slot, Stage } from "./simulated-process.ts";
import { openStore, type StoreServer } from "./simulated-store.ts";

const RECOVER_EVERY_MS = 15_000;

/** Creates the signer that sends wrong transfers back, from the store of the shop's claims. */
export function createReturns(
  { stage, slot, terms }: { stage: Stage; slot: Slot; terms: Terms },
  process: SimulatedProcess,
  claims: StoreServer,
) {
  const { createPacedRefunds, storeFailure } = slot.product;
  return createPacedRefunds(
    {
      account: accounts.shop.name,
      activeKey: accounts.shop.wif,
      store: openStore(stage, process, claims, { scale: terms.storeScale, storeFailure }),
      nodes: terms.nodes,
      chainId: MAINNET_CHAIN_ID,
    },
    { waitMs: terms.waitMs, pollMs: terms.pollMs },
  );
}

/** Starts a process that sends back what is in the books, again and again. */
export function bootReturner(
  role: Parameters<typeof createReturns>[0],
  process: SimulatedProcess,
  claims: StoreServer,
): void {
  const { life } = process;
  const returns = createReturns(role, process, claims);
  const recover = async () => {
    while (process.life === life) {
      await returns.recover().catch((error: unknown) => {
        const { code } = error as { code?: string };
        if (code !== "degraded" && code !== "chain_unavailable")
          role.stage.violate(`${process.name}: recovery failed: ${describe(error)}`);
      });
      await pause(process, RECOVER_EVERY_MS);
    }
  };
  void recover();
}
