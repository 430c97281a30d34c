import type { Channel } from "../mattermost/channel.ts";
import type { Post } from "../mattermost/post.ts";
import type { User } from "../mattermost/user.ts";
import type { Known } from "./known.ts";

/** Notes what channels are called, as just learned from the backend. */
export function rememberChannels(known: Known, channels: readonly Channel[]): void {
  for (const { id, name, display_name, type, team_id } of channels)
    known.channels.set(id, { id, name, display_name, type, team_id });
}

/** Notes in which channel posts are, as just learned from the backend. */
export function rememberPosts(known: Known, posts: readonly Post[]): void {
  for (const { id, channel_id } of posts) known.channelsOfPosts.set(id, channel_id);
}

/** Notes who has which name, as just learned from the backend: whom one sees one may write to. */
export function rememberUsers(known: Known, users: readonly User[]): void {
  for (const { id, username, delete_at } of users) {
    if (delete_at === 0) known.partners.set(username, id);
    else known.partners.delete(username);
  }
}
