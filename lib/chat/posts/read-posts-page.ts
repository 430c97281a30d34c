import { allInOrder } from "../../async/all-in-order.ts";
import type { Channel, ChannelMember } from "../../mattermost/channel.ts";
import { readChannel } from "../../mattermost/channels.ts";
import type { Post } from "../../mattermost/post.ts";
import { readUsers } from "../../mattermost/users.ts";
import { beginMembership } from "../channels/read-membership.ts";
import { type PublicUser, projectUsers } from "../people/project-user.ts";
import { rememberChannels, rememberPosts, rememberUsers } from "../session/remember.ts";
import type { Session } from "../session/session.ts";
import { fetchPosts, type WantedPosts } from "./fetch-posts.ts";
import { communityOf, findModerator } from "./moderation.ts";
import { projectPost, usersOf } from "./project-post.ts";

const MAX_USERS = 1000;

export type PostsPage = {
  /** Oldest first. */
  posts: Post[];
  users: Record<string, PublicUser>;
  channel: Channel;
  /** Null for somebody who may read without being a member. */
  member: ChannelMember | null;
  community: string | null;
  canModerate: boolean;
  hasMore: boolean;
  memberCount?: number;
};

/** A page of a channel with all that is needed to show it, in two rounds of backend calls. */
export async function readPostsPage(
  session: Session,
  channelId: string,
  wanted: WantedPosts,
): Promise<PostsPage> {
  const { caller, gateway } = session;
  const [channel, begun, { posts, hasMore }] = await allInOrder([
    readChannel(caller, channelId),
    beginMembership(session, channelId),
    fetchPosts(session, channelId, wanted),
  ]);
  rememberChannels(gateway.known, [channel]);
  rememberPosts(gateway.known, posts);
  const { ownId } = begun;
  const ids = [...new Set([...(ownId ? [ownId] : []), ...posts.flatMap(usersOf)])].slice(0, MAX_USERS);
  const [{ member, memberCount }, shown] = await Promise.all([begun.finish(), readUsers(caller, ids)]);
  rememberUsers(gateway.known, shown);
  const users = projectUsers(shown);
  const community = communityOf(channel, gateway.teamId);
  const mayModerate = community !== null && ownId !== undefined;
  return {
    posts: posts.map((post) => projectPost(post, users)),
    users,
    channel,
    member,
    community,
    canModerate: mayModerate && (await findModerator(gateway, community, ownId)) !== null,
    hasMore,
    ...(memberCount !== undefined && { memberCount }),
  };
}
