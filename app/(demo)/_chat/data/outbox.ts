import { createExternalStore } from "../../_ui/external-store.ts";
import { keepText, readKept } from "../../_ui/kept-text.ts";
import type { OutgoingPost, Post } from "./model.ts";

/** Maximum number of waiting messages. */
const MAX_WAITING = 100;

type Change = Partial<Pick<OutgoingPost, "state" | "problem" | "code" | "triedAfter">>;

export const outboxKey = (username: string) => `hivegate.outbox.${username}`;

function readWaiting(username: string): OutgoingPost[] {
  const kept = readKept(outboxKey(username));
  return Array.isArray(kept) ? kept : [];
}

/**
 * Posts being sent: shown immediately, removed once the server's copy arrives. They are also stored on this
 * device, for every tab, so that neither a failure nor a reload loses their text.
 */
export function createOutbox(username: string) {
  const { snapshot, subscribe, publish } = createExternalStore<readonly OutgoingPost[]>(
    readWaiting(username),
  );

  const change = (of: (present: readonly OutgoingPost[]) => readonly OutgoingPost[]) => {
    // Another tab may have changed the stored posts.
    const next = of(readWaiting(username));
    keepText(outboxKey(username), JSON.stringify(next));
    publish(next);
  };
  const has = (pendingId: string) => snapshot().some((post) => post.pendingId === pendingId);

  return {
    has,
    isFull: () => snapshot().length >= MAX_WAITING,
    add: (post: OutgoingPost) => change((present) => [...present, post]),
    mark: (pendingId: string, changed: Change) =>
      change((present) =>
        present.map((post) => (post.pendingId === pendingId ? { ...post, ...changed } : post)),
      ),
    /** Marks every post being sent as waiting. */
    hold() {
      if (snapshot().some(({ state }) => state === "sending"))
        change((present) =>
          present.map((post) => (post.state === "sending" ? { ...post, state: "waiting" } : post)),
        );
    },
    remove(pendingId: string) {
      if (has(pendingId)) change((present) => present.filter((post) => post.pendingId !== pendingId));
    },
    /** Applies changes made in another tab. */
    reload() {
      publish(readWaiting(username));
    },
    snapshot,
    subscribe,
  };
}

export type Outbox = ReturnType<typeof createOutbox>;

const MAX_KEPT = 2_000;
const known = new Map<string, string>();

/** Remembers the pending id of an incoming post, because the server reports it only once. */
export function rememberPendingId({ id, pendingPostId }: Post): void {
  if (!pendingPostId) return;
  known.set(id, pendingPostId);
  const oldest = known.keys().next().value;
  if (known.size > MAX_KEPT && oldest !== undefined) known.delete(oldest);
}

/** Returns the id under which a post was first shown, if it differs from its final id. */
export function pendingIdOf({ id, pendingPostId }: Post): string | undefined {
  return pendingPostId || known.get(id);
}
