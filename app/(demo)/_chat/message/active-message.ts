type Reason = "hover" | "focus" | "pin";
type Claim = { id: string; reason: Reason };

/**
 * Which one message shows its actions: the one with something of it open; otherwise the one under the mouse, or while
 * the Tab key leads the one with the focus.
 */
export function createActiveMessage() {
  let claims: readonly Claim[] = [];
  let leader: "hover" | "focus" = "hover";
  const listeners = new Set<() => void>();
  const latest = (wanted: Reason) => claims.findLast(({ reason }) => reason === wanted);
  const without = ({ id, reason }: Claim) =>
    claims.filter((claim) => claim.id !== id || claim.reason !== reason);
  const publish = (next: readonly Claim[]) => {
    claims = next;
    for (const listener of listeners) listener();
  };

  return {
    active: () => (latest("pin") ?? latest(leader) ?? claims.at(-1))?.id ?? null,
    hasFocus: (id: string) => claims.some((claim) => claim.id === id && claim.reason === "focus"),
    claim(claim: Claim) {
      // A focus that comes back from a closed window takes nothing from the mouse.
      if (claim.reason === "hover") leader = "hover";
      publish([...without(claim), claim]);
    },
    release: (claim: Claim) => publish(without(claim)),
    /** A message that goes leaves nothing behind. */
    releaseAll: (id: string) => publish(claims.filter((claim) => claim.id !== id)),
    /** From here on the focus leads, until the mouse moves over a message. */
    leadByKey() {
      leader = "focus";
      publish(claims);
    },
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
