import { useSyncExternalStore } from "react";
import { onPerson } from "../_session/person.ts";
import { createExternalStore } from "../_ui/external-store.ts";
import { askHiveAuthToPay, type Unsent } from "./ask-hiveauth-to-pay.ts";
import { isClaimAsked, type KeptClaim } from "./kept-claims.ts";

/** The state of asking a wallet of HiveAuth for a claim's transfer. */
export type HiveAuthAsk =
  | { kind: "idle"; unsent: Unsent }
  | { kind: "admitting"; link: string | null }
  | { kind: "asked" };

const idle: HiveAuthAsk = { kind: "idle", unsent: null };
const asked: HiveAuthAsk = { kind: "asked" };

/** The states by memo. They outlive the dialogs that show them. */
const asks = createExternalStore<ReadonlyMap<string, HiveAuthAsk>>(new Map());
const leaving = new Map<string, AbortController>();

// A user's wallet is asked for that user alone.
onPerson(() => {
  for (const ask of leaving.values()) ask.abort();
  leaving.clear();
  asks.publish(new Map());
});

const put = (memo: string, ask: HiveAuthAsk) => asks.publish(new Map(asks.snapshot()).set(memo, ask));

const askOf = (claim: KeptClaim): HiveAuthAsk =>
  asks.snapshot().get(claim.offer.extra.memo) ?? (isClaimAsked(claim) ? asked : idle);

/** Returns the state of asking for a claim, also by an earlier page. */
export const useHiveAuthAsk = (claim: KeptClaim): HiveAuthAsk =>
  useSyncExternalStore(
    asks.subscribe,
    () => askOf(claim),
    () => idle,
  );

/** Has an account's wallet admit this page and send a claim's transfer, whether or not a dialog shows it. */
export async function beginAsk(
  claim: KeptClaim,
  { relay, account }: { relay: string; account: string },
): Promise<void> {
  const { memo } = claim.offer.extra;
  if (leaving.has(memo)) return;
  const ask = new AbortController();
  leaving.set(memo, ask);
  const show = (state: HiveAuthAsk) => {
    if (!ask.signal.aborted) put(memo, state);
  };
  show({ kind: "admitting", link: null });
  try {
    const outcome = await askHiveAuthToPay(claim, {
      ...{ relay, account, signal: ask.signal },
      onLink: (link) => show({ kind: "admitting", link }),
      onAsking: () => show(asked),
    });
    show(outcome === "asked" ? asked : { kind: "idle", unsent: outcome });
  } catch {
    // The part could not be loaded, or the relay's address cannot be used.
    show({ kind: "idle", unsent: "relay_unavailable" });
  } finally {
    if (leaving.get(memo) === ask) leaving.delete(memo);
  }
}

/** Stops asking a wallet that has not admitted this page yet. */
export function cancelAsk({ offer: { extra } }: KeptClaim): void {
  leaving.get(extra.memo)?.abort();
  leaving.delete(extra.memo);
  put(extra.memo, idle);
}
