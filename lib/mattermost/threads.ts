import { z } from "zod";
import { CodedError } from "../errors.ts";
import { Done, type MattermostSession, path } from "./backend.ts";
import { Post } from "./posts.ts";

const ids = z
  .array(z.object({ id: z.string() }))
  .nullish()
  .transform((users) => (users ?? []).map(({ id }) => id));

/** A followed thread by the id of its root; its channel stands only in its post. */
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
    .array(z.object({ unread_replies: z.number().default(0), post: z.object({ channel_id: z.string() }) }))
    .nullable()
    .transform((threads) => threads ?? []),
});

const threadsOf = (teamId: string) => path`/users/me/teams/${teamId}/threads`;

/** The caller's followed threads with unread replies, latest first, at most `limit`. */
export async function listUnreadThreads(
  caller: MattermostSession,
  teamId: string,
  limit: number,
): Promise<z.infer<typeof UnreadThreads>["threads"]> {
  const query = new URLSearchParams({ unread: "true", threadsOnly: "true", per_page: String(limit) });
  return (await caller.call("GET", `${threadsOf(teamId)}?${query}`, UnreadThreads)).threads;
}

/** The caller's followed threads, those with the latest reply first, and how many of all are unread. */
export function listThreads(
  caller: MattermostSession,
  teamId: string,
  { perPage, before, isUnread }: { perPage: number; before?: string | undefined; isUnread: boolean },
): Promise<Threads> {
  const query = new URLSearchParams({ per_page: String(perPage), ...(before && { before }) });
  if (isUnread) query.set("unread", "true");
  return caller.call("GET", `${threadsOf(teamId)}?${query}`, Threads);
}

/** Marks a followed thread as read up to a time (ms). @throws CodedError `not_found` for one that is not followed */
export async function readThreadUntil(
  caller: MattermostSession,
  teamId: string,
  rootId: string,
  time: number,
): Promise<void> {
  const read = path`/users/me/teams/${teamId}/threads/${rootId}/read/${String(time)}`;
  await notFoundIfForbidden(caller.call("PUT", read, z.unknown()));
}

/** Marks all followed threads as read. */
export async function readAllThreads(caller: MattermostSession, teamId: string): Promise<void> {
  await caller.call("PUT", `${threadsOf(teamId)}/read`, Done);
}

/** Follows a thread or ceases to. @throws CodedError `not_found`, also for one that the caller can't see */
export async function followThread(
  caller: MattermostSession,
  teamId: string,
  rootId: string,
  isFollowed: boolean,
): Promise<void> {
  const following = path`/users/me/teams/${teamId}/threads/${rootId}/following`;
  await notFoundIfForbidden(caller.call(isFollowed ? "PUT" : "DELETE", following, Done));
}

async function notFoundIfForbidden(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof CodedError) || error.code !== "forbidden") throw error;
    throw new CodedError("not_found", { cause: error });
  }
}

const ClientConfig = z.object({ CollapsedThreads: z.string().default("disabled") });

/** Whether a server keeps threads apart ("collapsed threads"): for everybody, for nobody, or as each user wants it, with a default. */
export type ThreadsSetting = { isOn: boolean; isUsersChoice: boolean };

export async function readThreadsSetting(caller: MattermostSession): Promise<ThreadsSetting> {
  const { CollapsedThreads } = await caller.call("GET", "/config/client?format=old", ClientConfig);
  return {
    isOn: CollapsedThreads === "always_on" || CollapsedThreads === "default_on",
    isUsersChoice: CollapsedThreads.startsWith("default_"),
  };
}
