import type { PostSearchRequest, ReactionRequest } from "../contract/requests.ts";
import type {
  Bootstrap,
  FollowedThread,
  FoundPosts,
  Post,
  PostsPage,
  ThreadsPage,
  Translation,
  User,
} from "./answers.ts";
import { createChannelCalls } from "./channel-calls.ts";
import { type ChatEventName, type ChatEvents, createEvents } from "./chat-events.ts";
import { createConnection, type Trace, type WebSocketConstructor } from "./connection.ts";
import { createMedia } from "./media.ts";
import type { NewPost } from "./new-post.ts";
import {
  callForPage,
  eachOfPages,
  type NumberedPage,
  type PageOptions,
  type ThreadsOptions,
} from "./pages.ts";
import { type Call, type CallOptions, withQuery } from "./request.ts";
import { type ChatSession, createChatSession, type SessionOptions, type SignInOptions } from "./session.ts";
import { createSignIns } from "./sign-ins.ts";

/** The options of a new chat session, or an existing one. */
export type ChatClientOptions = (SessionOptions | { session: ChatSession }) & {
  /** Required on platforms without `WebSocket`, such as Node 20: pass the class from the package `ws`. */
  WebSocket?: WebSocketConstructor;
  trace?: Trace;
};

const FOUND_A_PAGE = 20;
/** Maximum number of ids in a frame, which keeps it under Mattermost's limit of 8,192 bytes. */
const IDS_A_FRAME = 250;

/** The criterion of a search: words, or mentions of the user. */
type Sought = Pick<PostSearchRequest, "term" | "mentions">;

/**
 * Creates a client of a gateway's chat.
 * @throws TypeError as `createChatSession` does
 * @example
 * const chat = createChatClient({ baseUrl: "https://chat.example.com", login: { username, sign } });
 * chat.on("posted", ({ post, senderName }) => console.log(senderName, post.message));
 * chat.connect();
 */
export function createChatClient(options: ChatClientOptions) {
  const session = "session" in options ? options.session : createChatSession(options);
  const events = createEvents();
  let connection: ReturnType<typeof createConnection> | undefined;
  const connectionOf = () => {
    const WebSocket: WebSocketConstructor | undefined = options.WebSocket ?? globalThis.WebSocket;
    if (!WebSocket)
      throw new TypeError(
        "this platform has no WebSocket: give one, as createChatClient({ WebSocket }) with that of the package ws",
      );
    connection ??= createConnection({ session, events, WebSocket, trace: options.trace ?? {} });
    return connection;
  };

  const post = async (path: string, body: unknown, given: Call = {}): Promise<void> => {
    await session.call(path, { ...given, method: "POST", body });
  };
  const channel = (id: string) => `/channels/${encodeURIComponent(id)}`;
  const thread = (rootId: string) => `/threads/${encodeURIComponent(rootId)}`;
  const image = (userId: string) => `/api/chat/users/${encodeURIComponent(userId)}/image`;
  const postOf = (channelId: string, postId: string) =>
    `${channel(channelId)}/posts/${encodeURIComponent(postId)}`;

  const page = (channelId: string, wanted: PageOptions = {}): Promise<PostsPage> =>
    session.call(`${channel(channelId)}/posts`, callForPage(wanted));

  const find = (
    wanted: Sought,
    { page: number, perPage, ...given }: NumberedPage = {},
  ): Promise<FoundPosts> => {
    const body: PostSearchRequest = { ...wanted, page: number, per_page: perPage };
    return session.call("/search/posts", { ...given, method: "POST", body });
  };
  const findAll = (wanted: Sought, { perPage = FOUND_A_PAGE, ...given }: Omit<NumberedPage, "page"> = {}) =>
    eachOfPages<Post>(async (number) => {
      const { posts } = await find(wanted, { ...given, page: number, perPage });
      return { items: posts, hasMore: posts.length >= perPage };
    });

  const listThreads = ({ unread, ...wanted }: ThreadsOptions = {}): Promise<ThreadsPage> => {
    const { query, ...call } = callForPage(wanted);
    return session.call("/threads", { ...call, query: { ...query, unread: unread?.toString() } });
  };

  return {
    /** The gateway's address. */
    baseUrl: session.baseUrl,
    /** The gateway's own login. */
    auth: session.auth,
    /**
     * Requests any route of the gateway by its whole path, without the chat token. The answer keeps the field
     * names of the wire. @throws ChatError
     */
    request: session.request,
    /** Signs in now rather than on the first call. `as` is an account other than that of `login`. @throws ChatError */
    signIn(given: SignInOptions = {}): Promise<Bootstrap> {
      if (given.as) connection?.close();
      return session.signIn(given);
    },
    /** The account's sign-ins. */
    signIns: createSignIns(session),
    /** Revokes the token and closes its websockets. @throws ChatError */
    signOut(given?: CallOptions): Promise<void> {
      connection?.close();
      return session.signOut(given);
    },
    /** Returns the signed-in user. @throws ChatError */
    me: session.me,

    channels: createChannelCalls(session),

    posts: {
      /** Returns a page of a channel, oldest first, with its users and the reader's permissions. @throws ChatError */
      page,
      /** Yields a channel's history from its newest post backwards, fetching pages as needed. @throws ChatError */
      async *history(
        channelId: string,
        given: Pick<PageOptions, "perPage" | "signal"> = {},
      ): AsyncGenerator<Post, void, undefined> {
        let before: string | undefined;
        for (;;) {
          const { posts, hasMore } = await page(channelId, { ...given, ...(before && { before }) });
          yield* [...posts].reverse();
          before = posts[0]?.id;
          if (!hasMore || before === undefined) return;
        }
      },
      /** @throws ChatError `not_found`, `forbidden`, `rate_limited` */
      async create(channelId: string, wanted: NewPost, given: CallOptions = {}): Promise<Post> {
        const call = { ...given, method: "POST", body: wanted } as const;
        return (await session.call<{ post: Post }>(`${channel(channelId)}/posts`, call)).post;
      },
      async edit(channelId: string, postId: string, message: string, given: CallOptions = {}): Promise<Post> {
        const call = { ...given, method: "PATCH", body: { message } } as const;
        return (await session.call<{ post: Post }>(postOf(channelId, postId), call)).post;
      },
      /** Deletes a post: the user's own, or any post if they moderate the channel's community. */
      async remove(
        channelId: string,
        postId: string,
        given: CallOptions & { keepalive?: boolean } = {},
      ): Promise<void> {
        await session.call(postOf(channelId, postId), { ...given, method: "DELETE" });
      },
      /** Adds or removes a reaction by its short name, such as `thumbsup`; repeating it has no effect. */
      react: (
        channelId: string,
        postId: string,
        emoji: string,
        { add = true, ...given }: CallOptions & { add?: boolean } = {},
      ) => post(`${postOf(channelId, postId)}/reactions`, { emoji, add } satisfies ReactionRequest, given),
      /** Pins or unpins a post for everyone in its channel. */
      pin: (
        channelId: string,
        postId: string,
        { pin = true, ...given }: CallOptions & { pin?: boolean } = {},
      ) => post(`${postOf(channelId, postId)}/pin`, { pin }, given),
      /**
       * Marks the channel as unread from a post on; for a reply that is counted separately, marks its thread.
       */
      markUnread: (channelId: string, postId: string, given?: CallOptions) =>
        post(`${postOf(channelId, postId)}/unread`, undefined, given),
      /**
       * Translates a post into another language, such as `es`. @throws ChatError `not_found` if there is no translator
       */
      translate: (
        channelId: string,
        postId: string,
        target: string,
        given?: CallOptions,
      ): Promise<Translation> =>
        session.call(`${postOf(channelId, postId)}/translation`, {
          ...given,
          method: "POST",
          body: { target },
        }),
      /** Returns a page of matching messages in the user's channels, newest first. @throws ChatError */
      search: (term: string, given?: NumberedPage): Promise<FoundPosts> => find({ term }, given),
      /** Yields all results of a search, newest first, fetching pages as needed. @throws ChatError */
      searchAll: (term: string, given?: Omit<NumberedPage, "page">) => findAll({ term }, given),
      /**
       * Returns a page of others' messages that mention the user or everyone and that a search can find,
       * newest first.
       * @throws ChatError
       */
      mentions: (given?: NumberedPage): Promise<FoundPosts> => find({ mentions: true }, given),
      /** Yields all messages that `mentions` lists, fetching pages as needed. @throws ChatError */
      allMentions: (given?: Omit<NumberedPage, "page">) => findAll({ mentions: true }, given),
    },

    threads: {
      /**
       * Returns a page of the threads that the user follows, latest reply first; `before` is the id of one of
       * them. @throws ChatError
       */
      list: listThreads,
      /** Yields all threads that the user follows, latest reply first, fetching pages as needed. @throws ChatError */
      async *all(
        given: Omit<ThreadsOptions, "before"> = {},
      ): AsyncGenerator<FollowedThread, void, undefined> {
        let before: string | undefined;
        for (;;) {
          const { threads, hasMore } = await listThreads({ ...given, ...(before && { before }) });
          yield* threads;
          before = threads.at(-1)?.id;
          if (!hasMore || before === undefined) return;
        }
      },
      /**
       * Marks a thread as read up to the reply written at `until` (ms). @throws ChatError `not_found` if the
       * user does not follow it
       */
      markRead: (rootId: string, until: number, given?: CallOptions) =>
        post(`${thread(rootId)}/view`, { until }, given),
      markAllRead: (given?: CallOptions) => post("/threads/view", undefined, given),
      /**
       * Follows or unfollows a thread. Users follow the threads that they start, reply to, or are mentioned
       * in, until they unfollow them.
       */
      setFollowed: (rootId: string, { follow, ...given }: CallOptions & { follow: boolean }) =>
        post(`${thread(rootId)}/follow`, { follow }, given),
    },

    users: {
      /** Finds users by username or full name. @throws ChatError */
      async search(q: string, given: CallOptions = {}): Promise<User[]> {
        return (await session.call<{ users: User[] }>("/users/search", { ...given, query: { q } })).users;
      },
      /** Returns the address of a user's picture, which needs no token. `version` is `lastPictureUpdate`. */
      imageUrl: (userId: string, version?: number): string =>
        withQuery(session.baseUrl + image(userId), { v: version || undefined }),
      /** Reads a user's picture. @throws ChatError `not_found` */
      readImage: (userId: string, given: CallOptions = {}): Promise<Blob> =>
        session.request(image(userId), { ...given, answer: "blob" }),
      /**
       * Opens the conversation with a chain account and resolves to the id of its channel. @throws ChatError
       * `not_found`
       */
      async openDirect(username: string, given: CallOptions = {}): Promise<string> {
        const call = { ...given, method: "POST", body: { username } } as const;
        return (await session.call<{ channelId: string }>("/direct", call)).channelId;
      },
      /**
       * Requests each user's presence over the websocket: `online`, `away`, `dnd` or `offline`. @throws
       * ChatError `offline`
       */
      async presence(userIds: readonly string[], given: CallOptions = {}): Promise<Record<string, string>> {
        const asked = [];
        for (let from = 0; from < userIds.length; from += IDS_A_FRAME) {
          const data = { user_ids: userIds.slice(from, from + IDS_A_FRAME) };
          asked.push(connectionOf().ask("get_statuses_by_ids", data, given.signal));
        }
        const told = (await Promise.all(asked)).flatMap((answer) => Object.entries(answer ?? {}));
        return Object.fromEntries(told.filter(([, status]) => typeof status === "string"));
      },
    },

    ...createMedia(session),

    /** Shows others in a channel, or in a thread of it, that the user is typing. Has no effect without a connection. */
    sendTyping: (channelId: string, rootId = "") =>
      connectionOf().send("user_typing", { channel_id: channelId, parent_id: rootId }),
    /**
     * Reports to Mattermost whether the user is active at this client. An active user is `online`, an inactive
     * one becomes `away` after five minutes. A status that the user chose stays. Has no effect without a connection.
     */
    sendActive: ({ isActive }: { isActive: boolean }) =>
      connectionOf().send("user_update_active_status", { user_is_active: isActive }),
    /** Opens the websocket, or skips the pause before its next attempt. The signal closes it as `disconnect` does. */
    connect: ({ signal }: CallOptions = {}) => connectionOf().open(signal),
    /**
     * Reopens the websocket even if it seems open, and resumes. Call this, for example, when the network
     * returns or the app is in the foreground again.
     */
    reconnect: () => connectionOf().reopen(),
    /**
     * Closes the websocket and cancels a sign-in that no call waits for. A later `connect` does not resume,
     * and emits `gap`.
     */
    disconnect: () => connection?.close(),
    /** Listens until the returned function is called, or the signal aborts. */
    on<N extends ChatEventName>(
      name: N,
      listener: (event: ChatEvents[N]) => void,
      { signal }: CallOptions = {},
    ): () => void {
      const stop = events.on(name, listener);
      signal?.addEventListener("abort", stop, { once: true });
      if (signal?.aborted) stop();
      return stop;
    },
  };
}

export type ChatClient = ReturnType<typeof createChatClient>;
