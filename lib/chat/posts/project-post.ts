import type { Post } from "../../mattermost/posts.ts";
import type { PublicUser } from "../people/project-user.ts";

/** Of what people put into a post by other clients; the backend takes thousands, with which no JSON could be written here. */
const MAX_LEVELS = 100;

/** A post as clients get to see it: whole user objects in it are replaced by projected ones, props without a bottom left out. */
export function projectPost(post: Post, users: Readonly<Record<string, PublicUser>> = {}): Post {
  const participants = post.participants?.map(({ id }) => users[id] ?? { id });
  return {
    ...post,
    ...(!isWithin(post.props, MAX_LEVELS) && { props: {} }),
    ...(participants && { participants }),
    ...(post.metadata && { metadata: projectMetadata(post.metadata) }),
  };
}

type Metadata = NonNullable<Post["metadata"]>;

/** A preview of a linked post holds that post, and it its participants. */
function projectMetadata(metadata: Metadata): Metadata {
  if (!isWithin(metadata, MAX_LEVELS)) return { reactions: metadata.reactions };
  if (!Array.isArray(metadata.embeds)) return metadata;
  return { ...metadata, embeds: metadata.embeds.map(withoutParticipants) };
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isWithin(inner, levels - 1));
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
