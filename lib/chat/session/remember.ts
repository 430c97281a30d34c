import type { Channel } from "../../mattermost/channel.ts";
import type { Post } from "../../mattermost/post.ts";
import type { User } from "../../mattermost/user.ts";
import type { Known } from "./caches.ts";

/** Notes what channels are called, as just learned from the backend. */
export function rememberChannels(known: Known, channels: readonly Channel[]): void {
  for (const { id, name, display_name, type, team_id } of channels)
    known.channels.set(id, { id, name, display_name, type, team_id });
}

/** Notes in which channel posts are, as just learned from the backend. */
export function rememberPosts(known: Known, posts: readonly Post[]): void {
  for (const { id, channel_id } of posts) known.channelsOfPosts.set(id, channel_id);
}

/** Notes who is active, as just learned from the backend: whom one sees one may write to. */
export function rememberUsers(known: Known, users: readonly Pick<User, "id" | "delete_at">[]): void {
  for (const { id, delete_at } of users) {
    if (delete_at === 0) known.activeUsers.set(id, true);
    else known.activeUsers.delete(id);
  }
}
