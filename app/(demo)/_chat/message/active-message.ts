type Reason = "hover" | "focus" | "pin";
type Claim = { id: string; reason: Reason };

/**
 * Which one message shows its actions: the one with something of it open, otherwise the one that the mouse or the
 * focus came to last.
 */
export function createActiveMessage() {
  let claims: readonly Claim[] = [];
  const listeners = new Set<() => void>();
  const without = ({ id, reason }: Claim) =>
    claims.filter((claim) => claim.id !== id || claim.reason !== reason);
  const publish = (next: readonly Claim[]) => {
    claims = next;
    for (const listener of listeners) listener();
  };

  return {
    active: () => (claims.findLast(({ reason }) => reason === "pin") ?? claims.at(-1))?.id ?? null,
    hasFocus: (id: string) => claims.some((claim) => claim.id === id && claim.reason === "focus"),
    claim: (claim: Claim) => publish([...without(claim), claim]),
    release: (claim: Claim) => publish(without(claim)),
    /** A message that goes leaves nothing behind. */
    releaseAll: (id: string) => publish(claims.filter((claim) => claim.id !== id)),
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** Of this page: timeline and thread share the one mouse. */
export const activeMessage = createActiveMessage();
