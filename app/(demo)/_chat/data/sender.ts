import { ChatError } from "#lib/chat-client/index.ts";
import type { OutgoingPost, Post } from "./model.ts";
import type { Outbox } from "./outbox.ts";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** Number of failures of a reachable server after which only the user can retry. */
const MAX_TRIES = 3;

export type SenderDependencies = {
  myId: string;
  post(post: OutgoingPost): Promise<Post>;
  read: ReadPosts;
  /** Returns the server's time (ms) of the newest post that this tab has of a channel. */
  newestKnown(channelId: string): number | undefined;
  /** Shows the server's copy and removes the post from the outbox. */
  confirm(post: Post, pendingId: string): Promise<void>;
  isOnline(): boolean;
  /** Returns whether the websocket is open; if it is, the connection is not the cause of a failure. */
  isConnected(): boolean;
  /** Runs `act` in one tab at a time. */
  exclusively(act: () => Promise<void>): Promise<void>;
};

/** Returns whether the server understood the request and refused it, so a retry would change nothing. */
const isRefusal = (error: unknown): error is ChatError =>
  error instanceof ChatError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![408, 429].includes(error.status);
const isAnswer = (error: unknown): error is ChatError => error instanceof ChatError && error.status > 0;

/**
 * Sends the posts of the outbox one after the other, in the order in which they were written. Without a
 * connection they wait. Refused posts stay with the reason. A post that may have arrived although its answer
 * was lost is searched for before it is sent again.
 */
export function createSender(outbox: Outbox, dependencies: SenderDependencies) {
  let isRunning = false;
  let isWanted = false;
  let isStopped = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const confirmedAt = new Map<string, number>();

  const confirm = async (post: Post, { pendingId, channelId }: OutgoingPost) => {
    confirmedAt.set(channelId, post.createAt);
    failures = 0;
    await dependencies.confirm(post, pendingId);
  };

  const newestIn = async (channelId: string) => {
    const known =
      dependencies.newestKnown(channelId) ?? (await dependencies.read(channelId)).posts.at(-1)?.createAt ?? 0;
    return Math.max(known, confirmedAt.get(channelId) ?? 0);
  };

  const deliver = async (post: OutgoingPost) => {
    if (post.triedAfter !== undefined) {
      const arrived = await findArrived(post, dependencies.myId, dependencies.read);
      if (arrived) return confirm(arrived, post);
    }
    const triedAfter = post.triedAfter ?? (await newestIn(post.channelId));
    // The post was discarded, or confirmed by its event, meanwhile.
    if (!outbox.has(post.pendingId)) return;
    outbox.mark(post.pendingId, { state: "sending", triedAfter });
    await confirm(await dependencies.post(post), post);
  };

  /** Records a failure, and returns true if the next post may follow. */
  const fail = (error: unknown, { pendingId }: OutgoingPost): boolean => {
    // The post's event arrived although its answer was lost.
    if (!outbox.has(pendingId)) return true;
    failures += 1;
    const isGivenUp = isAnswer(error) && dependencies.isConnected() && failures >= MAX_TRIES;
    if (isRefusal(error) || isGivenUp) {
      failures = 0;
      outbox.mark(pendingId, {
        state: "failed",
        problem: (error as Error).message,
        code: isAnswer(error) ? error.code : undefined,
      });
      return true;
    }
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    const asked = isAnswer(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
    timer = setTimeout(run, Math.max(pause, asked));
    return false;
  };

  const sendAll = async () => {
    outbox.reload();
    for (;;) {
      const next = outbox.snapshot().find(({ state }) => state !== "failed");
      if (!next || isStopped || !dependencies.isOnline()) return;
      try {
        await deliver(next);
      } catch (error) {
        if (!fail(error, next)) return;
      }
    }
  };

  const run = () => {
    clearTimeout(timer);
    isWanted = true;
    if (isRunning || isStopped) return;
    isRunning = true;
    void (async () => {
      while (isWanted && !isStopped) {
        isWanted = false;
        clearTimeout(timer);
        await dependencies.exclusively(sendAll);
      }
      outbox.hold();
      isRunning = false;
    })();
  };

  return {
    /** Returns false, without taking the post, if too many are waiting. */
    send(post: Pick<OutgoingPost, "channelId" | "rootId" | "message" | "files" | "type">): boolean {
      if (outbox.isFull()) return false;
      const createdAt = Math.max(Date.now(), (outbox.snapshot().at(-1)?.createdAt ?? 0) + 1);
      const pendingId = `${dependencies.myId}:${createdAt}`;
      outbox.add({ ...post, pendingId, createdAt, state: "sending" });
      run();
      return true;
    },
    resend(pendingId: string) {
      failures = 0;
      outbox.mark(pendingId, { state: "sending" });
      run();
    },
    /** Call this when the connection opens, so that no post waits longer. */
    wake() {
      isStopped = false;
      failures = 0;
      if (outbox.snapshot().length > 0) run();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

const MAX_PAGES = 10;

/** Reads the newest posts of a channel, or the posts just before one, oldest first. */
type ReadPosts = (channelId: string, before?: string) => Promise<{ posts: Post[]; hasMore: boolean }>;

/**
 * Returns the server's copy of a post whose answer was lost, or undefined if it did not arrive. The server does not
 * store the pending id, so the copy is recognized by its author, place, text and files, and by being newer than the
 * posts seen before the attempt.
 */
async function findArrived(
  { pendingId, channelId, rootId, message, type, files = [], triedAfter = 0 }: OutgoingPost,
  myId: string,
  read: ReadPosts,
): Promise<Post | undefined> {
  const isIt = (post: Post) =>
    post.pendingPostId === pendingId ||
    (post.userId === myId &&
      post.rootId === rootId &&
      post.message === message &&
      post.type === (type ?? "") &&
      files.every(({ id }) => post.fileIds?.includes(id)) &&
      post.createAt > triedAfter);
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { posts, hasMore } = await read(channelId, before);
    const arrived = posts.find(isIt);
    const oldest = posts[0];
    if (arrived || !hasMore || !oldest || oldest.createAt <= triedAfter) return arrived;
    before = oldest.id;
  }
  return undefined;
}
