import type { OutgoingPost } from "./model.ts";

const keyOf = (username: string) => `hivegate.outbox.${username}`;

function readKept(username: string): OutgoingPost[] {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(username)) ?? "[]") as OutgoingPost[];
    return kept.map((post) => ({ ...post, state: "failed" }));
  } catch {
    // Unreadable text is no outbox.
    return [];
  }
}

/**
 * Posts under way: shown at once, taken out when the server's own copy is here.
 * They are kept on this device too, so that neither a failure nor a reload loses their text.
 */
export function createOutbox(username: string) {
  let posts: readonly OutgoingPost[] = readKept(username);
  const listeners = new Set<() => void>();
  const publish = (next: readonly OutgoingPost[]) => {
    posts = next;
    localStorage.setItem(keyOf(username), JSON.stringify(next));
    for (const listener of listeners) listener();
  };
  return {
    add: (post: OutgoingPost) => publish([...posts, post]),
    mark: (pendingId: string, change: Pick<OutgoingPost, "state" | "problem">) =>
      publish(posts.map((post) => (post.pendingId === pendingId ? { ...post, ...change } : post))),
    remove: (pendingId: string) => {
      if (posts.some((post) => post.pendingId === pendingId))
        publish(posts.filter((post) => post.pendingId !== pendingId));
    },
    snapshot: () => posts,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

export type Outbox = ReturnType<typeof createOutbox>;
