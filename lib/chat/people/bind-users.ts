import { log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import { createIdentities } from "../access/identities.ts";

/** Binds chat users that were made without a gateway to the accounts that whoever made them names. */
export async function bindUsers(
  store: Store,
  people: ReadonlyArray<{ name: string; userId: string }>,
): Promise<void> {
  const identities = createIdentities(store);
  try {
    for (const { name, userId } of people) await identities.bind(name, userId);
  } catch (err) {
    log().warn({ err }, "chat users could not be bound to their accounts");
  }
}
