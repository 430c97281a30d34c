import { createExternalStore } from "../../_ui/external-store.ts";
import { createKeptItems } from "../../_ui/kept-items.ts";
import type { OutgoingPost, Post } from "./model.ts";

/** Maximum number of waiting messages. */
const MAX_WAITING = 100;

type Change = Partial<Pick<OutgoingPost, "state" | "problem" | "code" | "triedAfter">>;

/** Name of the lock under which one tab at a time sends. Former versions stored a list of all posts under it. */
export const outboxKey = (username: string) => `hivegate.outbox.${username}`;
/** No name of a user contains the "#". */
const prefixOf = (username: string) => `${outboxKey(username)}#`;

/** Returns whether a user's posts are stored under a key. */
export const isOutboxKey = (key: string, username: string): boolean =>
  key === outboxKey(username) || key.startsWith(prefixOf(username));

function isPost(kept: unknown): kept is OutgoingPost {
  const { pendingId, channelId, rootId, message, state, createdAt } = (kept ?? {}) as Partial<OutgoingPost>;
  return (
    [pendingId, channelId, rootId, message, state].every((text) => typeof text === "string") &&
    Number.isFinite(createdAt)
  );
}

/**
 * Posts being sent: shown immediately, removed once the server's copy arrives. They are also stored on this
 * device, for every tab, so that neither a failure nor a reload loses their text.
 */
export function createOutbox(username: string) {
  const posts = createKeptItems<OutgoingPost>({
    prefix: prefixOf(username),
    formerKey: outboxKey(username),
    nameOf: ({ pendingId }) => pendingId,
    isGood: isPost,
    orderOf: ({ createdAt }) => createdAt,
  });
  const { snapshot, subscribe, publish } = createExternalStore<readonly OutgoingPost[]>(posts.list());
  const reload = () => publish(posts.list());

  /** Changes the posts that match. Another tab may have changed or removed them. */
  const change = (isMeant: (post: OutgoingPost) => boolean, changed: Change) => {
    for (const post of posts.list()) if (isMeant(post)) posts.keep({ ...post, ...changed });
    reload();
  };
  const find = (pendingId: string) => snapshot().find((post) => post.pendingId === pendingId);
  const isSending = ({ state }: OutgoingPost) => state === "sending";

  return {
    has: (pendingId: string) => find(pendingId) !== undefined,
    isFull: () => snapshot().length >= MAX_WAITING,
    add(post: OutgoingPost) {
      posts.keep(post);
      reload();
    },
    mark: (pendingId: string, changed: Change) => change((post) => post.pendingId === pendingId, changed),
    /** Marks every post being sent as waiting. */
    hold() {
      if (snapshot().some(isSending)) change(isSending, { state: "waiting" });
    },
    remove(pendingId: string) {
      const post = find(pendingId);
      if (!post) return;
      posts.drop(post);
      reload();
    },
    /** Applies changes made in another tab. */
    reload,
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
