import { createExternalStore } from "../data/external-store.ts";

type Reason = "hover" | "focus" | "pin";
type Claim = { id: string; reason: Reason };

/**
 * Which one message shows its actions: the one with something of it open; otherwise the one under the mouse, or while
 * the Tab key leads the one with the focus.
 */
export function createActiveMessage() {
  const { snapshot, subscribe, publish } = createExternalStore<readonly Claim[]>([]);
  let leader: "hover" | "focus" = "hover";
  const latest = (wanted: Reason) => snapshot().findLast(({ reason }) => reason === wanted);
  const without = ({ id, reason }: Claim) =>
    snapshot().filter((claim) => claim.id !== id || claim.reason !== reason);

  return {
    active: () => (latest("pin") ?? latest(leader) ?? snapshot().at(-1))?.id ?? null,
    hasFocus: (id: string) => snapshot().some((claim) => claim.id === id && claim.reason === "focus"),
    claim(claim: Claim) {
      // A focus that comes back from a closed window takes nothing from the mouse.
      if (claim.reason === "hover") leader = "hover";
      publish([...without(claim), claim]);
    },
    release: (claim: Claim) => publish(without(claim)),
    /** A message that goes leaves nothing behind. */
    releaseAll: (id: string) => publish(snapshot().filter((claim) => claim.id !== id)),
    /** From here on the focus leads, until the mouse moves over a message. */
    leadByKey() {
      leader = "focus";
      publish(snapshot());
    },
    subscribe,
  };
}

/** Of this page: timeline and thread share the one mouse. */
export const activeMessage = createActiveMessage();
