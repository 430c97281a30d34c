import { z } from "zod";
import { notFoundIfForbidden } from "./exchange.ts";
import { Done, type MattermostCaller, path } from "./mattermost.ts";
import { Post, PostList } from "./posts.ts";

/** Reads a root post, which includes whether the caller follows it (`is_following`), and all its replies. */
export function readThread(caller: MattermostCaller, rootId: string): Promise<PostList> {
  return caller.call("GET", `${path`/posts/${rootId}/thread`}?collapsedThreads=true`, PostList);
}

const ids = z
  .array(z.object({ id: z.string() }))
  .nullish()
  .transform((users) => (users ?? []).map(({ id }) => id));

/** A followed thread, by the id of its root; only its post names its channel. */
const Thread = z.object({
  id: z.string(),
  reply_count: z.number().default(0),
  last_reply_at: z.number().default(0),
  last_viewed_at: z.number().default(0),
  unread_replies: z.number().default(0),
  unread_mentions: z.number().default(0),
  participants: ids,
  post: Post,
});
export type Thread = z.infer<typeof Thread>;

const Threads = z.object({
  total_unread_threads: z.number().default(0),
  total_unread_mentions: z.number().default(0),
  threads: z
    .array(Thread)
    .nullable()
    .transform((threads) => threads ?? []),
});
export type Threads = z.infer<typeof Threads>;

const UnreadThreads = z.object({
  threads: z
    .array(
      z.object({
        id: z.string(),
        unread_replies: z.number().default(0),
        unread_mentions: z.number().default(0),
        last_viewed_at: z.number().default(0),
        post: z.object({ channel_id: z.string() }),
      }),
    )
    .nullable()
    .transform((threads) => threads ?? []),
});

/** The thread that a change of what is read answers with. */
const ReadThread = z.object({ id: z.string() });

const threadsOf = (teamId: string) => path`/users/me/teams/${teamId}/threads`;

/** Lists the caller's followed threads with unread replies, latest first, up to `limit`. */
export async function listUnreadThreads(
  caller: MattermostCaller,
  teamId: string,
  limit: number,
): Promise<z.infer<typeof UnreadThreads>["threads"]> {
  const query = new URLSearchParams({ unread: "true", threadsOnly: "true", per_page: String(limit) });
  return (await caller.call("GET", `${threadsOf(teamId)}?${query}`, UnreadThreads)).threads;
}

/** Lists the caller's followed threads by their latest reply, and counts all unread ones. */
export function listThreads(
  caller: MattermostCaller,
  teamId: string,
  { perPage, before, isUnread }: { perPage: number; before?: string | undefined; isUnread: boolean },
): Promise<Threads> {
  const query = new URLSearchParams({ per_page: String(perPage), ...(before && { before }) });
  if (isUnread) query.set("unread", "true");
  return caller.call("GET", `${threadsOf(teamId)}?${query}`, Threads);
}

/** Marks a followed thread as read up to a time (ms). @throws CodedError `not_found` if it is not followed */
export async function readThreadUntil(
  caller: MattermostCaller,
  teamId: string,
  rootId: string,
  time: number,
): Promise<void> {
  const read = path`/users/me/teams/${teamId}/threads/${rootId}/read/${String(time)}`;
  await notFoundIfForbidden(caller.call("PUT", read, ReadThread));
}

/** Marks a thread as unread from one of its replies on, and follows it. @throws CodedError `not_found` */
export async function unreadThreadFrom(
  caller: MattermostCaller,
  teamId: string,
  rootId: string,
  replyId: string,
): Promise<void> {
  const marking = path`/users/me/teams/${teamId}/threads/${rootId}/set_unread/${replyId}`;
  await notFoundIfForbidden(caller.call("POST", marking, ReadThread));
}

/** Marks all threads that the caller follows in a team as read. */
export async function readAllThreads(caller: MattermostCaller, teamId: string): Promise<void> {
  await caller.call("PUT", `${threadsOf(teamId)}/read`, Done);
}

/**
 * Follows or unfollows a thread. @throws CodedError `not_found`, even for a thread that the caller cannot see
 */
export async function followThread(
  caller: MattermostCaller,
  teamId: string,
  rootId: string,
  isFollowed: boolean,
): Promise<void> {
  const following = path`/users/me/teams/${teamId}/threads/${rootId}/following`;
  await notFoundIfForbidden(caller.call(isFollowed ? "PUT" : "DELETE", following, Done));
}

const ClientConfig = z.object({ CollapsedThreads: z.string().default("disabled") });

/**
 * A server's rule for separate threads ("collapsed threads"): for everyone, for no one, or as each user chooses, with a
 * default.
 */
export type ThreadsSetting = { isOn: boolean; isUsersChoice: boolean };

export async function readThreadsSetting(caller: MattermostCaller): Promise<ThreadsSetting> {
  const { CollapsedThreads } = await caller.call("GET", "/config/client?format=old", ClientConfig);
  return {
    isOn: CollapsedThreads === "always_on" || CollapsedThreads === "default_on",
    isUsersChoice: CollapsedThreads.startsWith("default_"),
  };
}
