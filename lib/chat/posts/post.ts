import type { User as PublicUser } from "../../contract/answers.ts";
import { CodedError } from "../../errors.ts";
import { isRefusal, notFoundIfForbidden } from "../../mattermost/exchange.ts";
import { type Post, readPost } from "../../mattermost/posts.ts";
import { rememberPosts } from "../caller/caches.ts";
import type { CallerContext } from "../caller/caller-context.ts";

/**
 * Maximum nesting of a post's props, which other clients can set; Mattermost accepts thousands of levels, too
 * many to serialize.
 */
const MAX_LEVELS = 100;

/** Fields of a post's props that are displayed or identify the author; programs can add any others. */
const shownProps = new Set([
  ...[
    "from_bot",
    "from_webhook",
    "from_plugin",
    "from_oauth_app",
    "override_username",
    "webhook_display_name",
  ],
  ...["username", "userId", "addedUsername", "addedUserId", "removedUsername", "removedUserId"],
  ...["old_displayname", "new_displayname", "old_header", "new_header", "old_purpose", "new_purpose"],
  ...["channel_mentions", "previewed_post", "disable_group_highlight", "mentionHighlightDisabled"],
]);

const shownOfCards = new Set([
  ...["fallback", "color", "pretext", "author_name", "author_link", "title", "title_link", "text"],
  ...["fields", "image_url", "footer", "ts"],
]);

/** Projects a post for clients: whole users within it become projected ones, and only displayed props remain. */
export function projectPost(post: Post, users: Readonly<Record<string, PublicUser>> = {}): Post {
  const projected: Post = { ...post };
  if (isRecord(post.props)) projected.props = projectProps(post.props);
  if (post.participants) projected.participants = post.participants.map(({ id }) => users[id] ?? { id });
  if (post.metadata) projected.metadata = projectMetadata(post.metadata);
  return projected;
}

type Metadata = NonNullable<Post["metadata"]>;

/**
 * Projects a post's metadata, because a preview of a linked post contains that post, which in turn contains
 * its participants.
 */
function projectMetadata(metadata: Metadata): Metadata {
  if (!isWithin(metadata, MAX_LEVELS)) return { reactions: metadata.reactions };
  if (!Array.isArray(metadata.embeds)) return metadata;
  return { ...metadata, embeds: metadata.embeds.map(projectEmbed) };
}

function projectProps(props: Record<string, unknown>): Record<string, unknown> {
  if (!isWithin(props, MAX_LEVELS)) return {};
  const { attachments } = props;
  return {
    ...pick(props, shownProps),
    ...(Array.isArray(attachments) && {
      attachments: attachments.filter(isRecord).map((card) => pick(card, shownOfCards)),
    }),
  };
}

function pick(record: Record<string, unknown>, names: ReadonlySet<string>): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of Object.keys(record)) if (names.has(name)) picked[name] = record[name];
  return picked;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isWithin(inner, levels - 1));
}

function projectEmbed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(projectEmbed);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([name]) => name !== "participants");
  return Object.fromEntries(
    kept.map(([name, inner]) => [
      name,
      name === "props" && isRecord(inner) ? projectProps(inner) : projectEmbed(inner),
    ]),
  );
}

/** Returns the ids of the users that a post shows: its author, those who reacted, and the thread's participants. */
export function usersOf(post: Post): string[] {
  const reactors = post.metadata?.reactions?.map(({ user_id }) => user_id) ?? [];
  return [post.user_id, ...reactors, ...(post.participants?.map(({ id }) => id) ?? [])];
}

/**
 * Checks that the post is in the channel. Returns the post if it had to be read, or null if its channel was
 * cached.
 * @throws CodedError `not_found`, even for a post that the caller cannot see
 */
export async function requirePost(
  context: CallerContext,
  channelId: string,
  postId: string,
): Promise<Post | null> {
  const known = context.chat.caches.channelsOfPosts.get(postId);
  const post = known === undefined ? await readVisiblePost(context, postId) : null;
  if ((post?.channel_id ?? known) !== channelId) throw new CodedError("not_found");
  return post;
}

/**
 * Rethrows Mattermost's refusal of an action on a post, or throws `not_found` if the caller lacks the right
 * only because the post is gone. `read` is the result of `requirePost`: a post that was just read is not read
 * again.
 */
export async function rethrowForPost(
  context: CallerContext,
  postId: string,
  refusal: unknown,
  read: Post | null,
): Promise<never> {
  if (read === null && isRefusal(refusal, "api.context.permissions.app_error")) {
    context.chat.caches.channelsOfPosts.delete(postId);
    await readVisiblePost(context, postId);
  }
  throw refusal;
}

/** Reads a post as the caller. @throws CodedError `not_found`, even for a post that the caller cannot see */
export async function readVisiblePost({ caller, chat }: CallerContext, postId: string): Promise<Post> {
  const post = await notFoundIfForbidden(readPost(caller, postId));
  rememberPosts(chat.caches, [post]);
  return post;
}
