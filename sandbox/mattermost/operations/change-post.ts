import type { Backend } from "../backend.ts";
import { makeId } from "../id.ts";
import { countPost } from "../model/channels.ts";
import { insertPost, listReplies, type PostRow, updatePost } from "../model/posts.ts";
import { deletePreferencesNamed } from "../model/preferences.ts";
import { deleteThreadMembers } from "../model/threads.ts";
import { renderBarePost, renderPost } from "../serializers/post.ts";
import { readHashtags } from "./find-mentions.ts";

export type PostChanges = { message?: string; is_pinned?: boolean; props?: Record<string, unknown> };

/** Edits a post; a changed message leaves the old version behind, hidden. */
export function editPost(backend: Backend, post: PostRow, changes: PostChanges): PostRow {
  const now = backend.clock.tick();
  const isReworded = changes.message !== undefined && changes.message !== post.message;
  if (isReworded) {
    const { number: _, ...old } = post;
    insertPost(backend.db, { ...old, id: makeId(), original_id: post.id, delete_at: now, update_at: now });
  }
  const next = updatePost(backend.db, post, {
    update_at: now,
    ...(isReworded && {
      message: changes.message,
      edit_at: now,
      hashtags: readHashtags(changes.message ?? ""),
    }),
    ...(changes.is_pinned !== undefined && { is_pinned: Number(changes.is_pinned) }),
    ...(changes.props && { props: JSON.stringify(changes.props) }),
  });
  if (isReworded) countPost(backend.db, post.channel_id, { createAt: now, isCounted: false, isRoot: false });
  publishEdited(backend, next);
  return next;
}

export function publishEdited(backend: Backend, post: PostRow): void {
  backend.publish({
    event: "post_edited",
    data: { post: JSON.stringify(renderPost(backend, post)) },
    broadcast: { channel_id: post.channel_id },
  });
}

/** Deletes a post, a root with its replies. One event for all of it; admins also learn by whom. */
export function deletePost(backend: Backend, post: PostRow, deleterId: string): void {
  const data = { post: JSON.stringify(renderBarePost(backend, post)) };
  const now = backend.clock.tick();
  const replies = post.root_id === "" ? listReplies(backend.db, post.id) : [];
  for (const gone of [post, ...replies]) {
    updatePost(backend.db, gone, { delete_at: now, update_at: now });
    deletePreferencesNamed(backend.db, "flagged_post", gone.id);
  }
  if (post.root_id === "") deleteThreadMembers(backend.db, post.id);
  const broadcast = { channel_id: post.channel_id };
  backend.publish({
    event: "post_deleted",
    data,
    broadcast: { ...broadcast, contains_sanitized_data: true },
  });
  backend.publish({
    event: "post_deleted",
    data: { ...data, delete_by: deleterId },
    broadcast: { ...broadcast, contains_sensitive_data: true },
  });
}
