import type { Post } from "../mattermost/post.ts";
import type { PublicUser } from "./project-user.ts";

/** A post as clients get to see it: whole user objects in it are replaced by projected ones. */
export function projectPost(post: Post, users: Readonly<Record<string, PublicUser>> = {}): Post {
  const participants = post.participants?.map(({ id }) => users[id] ?? { id });
  return {
    ...post,
    ...(participants && { participants }),
    ...(post.metadata && { metadata: projectMetadata(post.metadata) }),
  };
}

type Metadata = NonNullable<Post["metadata"]>;

/** A preview of a linked post holds that post, and it its participants. */
function projectMetadata(metadata: Metadata): Metadata {
  if (!Array.isArray(metadata.embeds)) return metadata;
  return { ...metadata, embeds: metadata.embeds.map(withoutParticipants) };
}

function withoutParticipants(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutParticipants);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => name !== "participants");
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutParticipants(inner)]));
}

/** The ids of the users that a post shows: its author, who reacted, who takes part in its thread. */
export function usersOf(post: Post): string[] {
  const reactors = post.metadata?.reactions?.map(({ user_id }) => user_id) ?? [];
  return [post.user_id, ...reactors, ...(post.participants?.map(({ id }) => id) ?? [])];
}
