import type { Post } from "./model.ts";

const MAX_KEPT = 2_000;
const known = new Map<string, string>();

/** Remembers the pending id of a post that just came: the server names it that one time only. */
export function rememberPendingId({ id, pending_post_id }: Post): void {
  if (!pending_post_id) return;
  known.set(id, pending_post_id);
  const oldest = known.keys().next().value;
  if (known.size > MAX_KEPT && oldest !== undefined) known.delete(oldest);
}

/** The id under which a post was first shown, if it had one before its own. */
export function pendingIdOf({ id, pending_post_id }: Post): string | undefined {
  return pending_post_id || known.get(id);
}
