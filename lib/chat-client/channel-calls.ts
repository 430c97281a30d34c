import type { MuteRequest } from "../contract/requests.ts";
import type {
  ChannelEntry,
  FoundChannel,
  Member,
  Members,
  NotifyLevel,
  PinnedPosts,
  PublicChannel,
  PublicChannels,
  Unreads,
} from "./answers.ts";
import { callForPage, eachOfPages, type MatchingPage } from "./pages.ts";
import type { Call, CallOptions } from "./request.ts";
import type { ChatSession } from "./session.ts";

/** Creates the client's calls about channels. */
export function createChannelCalls(session: ChatSession) {
  const channel = (id: string) => `/channels/${encodeURIComponent(id)}`;
  const post = async (path: string, body: unknown, given: Call = {}): Promise<void> => {
    await session.call(path, { ...given, method: "POST", body });
  };
  const browse = (wanted: MatchingPage = {}): Promise<PublicChannels> =>
    session.call("/channels/public", callForPage(wanted));
  const members = (id: string, wanted: MatchingPage = {}): Promise<Members> =>
    session.call(`${channel(id)}/members`, callForPage(wanted));

  return {
    /** Lists the user's channels in the order of a sidebar. @throws ChatError */
    async list(given?: CallOptions): Promise<ChannelEntry[]> {
      return (await session.call<{ channels: ChannelEntry[] }>("/channels", given)).channels;
    },
    /** Returns the unread counts of each channel and in total. @throws ChatError */
    unreads: (given?: CallOptions): Promise<Unreads> => session.call("/channels/unreads", given),
    /**
     * Finds public channels and the user's own by name; a term of fewer than two characters finds none.
     * @throws ChatError
     */
    async search(term: string, given?: CallOptions): Promise<FoundChannel[]> {
      const call = { ...given, method: "POST", body: { term } } as const;
      return (await session.call<{ channels: FoundChannel[] }>("/channels/search", call)).channels;
    },
    /**
     * Returns a page of the public channels by title, or of those that match `q`, with their purpose. @throws ChatError
     */
    browse,
    /** Yields all public channels, fetching pages as needed. @throws ChatError */
    browseAll: (given?: Omit<MatchingPage, "page">) =>
      eachOfPages<PublicChannel>(async (page) => {
        const { channels, hasMore } = await browse({ ...given, page });
        return { items: channels, hasMore };
      }),
    /**
     * Returns a page of a channel's members with their roles, admins first. @throws ChatError `forbidden` for
     * non-members
     */
    members,
    /** Yields all members, fetching pages as needed. @throws ChatError `forbidden` for non-members */
    allMembers: (id: string, given?: Omit<MatchingPage, "page">) =>
      eachOfPages<Member>(async (page) => {
        const { members: items, hasMore } = await members(id, { ...given, page });
        return { items, hasMore };
      }),
    /** Returns the pinned posts, latest first. @throws ChatError */
    pinned: (id: string, given?: CallOptions): Promise<PinnedPosts> =>
      session.call(`${channel(id)}/pinned`, given),
    /** @throws ChatError `not_found`, `forbidden` for a private channel */
    join: (id: string, given?: CallOptions) => post(`${channel(id)}/join`, undefined, given),
    leave: (id: string, given?: CallOptions) => post(`${channel(id)}/leave`, undefined, given),
    setFavorite: (id: string, { favorite, ...given }: CallOptions & { favorite: boolean }) =>
      post(`${channel(id)}/favorite`, { favorite }, given),
    /** Mutes or unmutes the channel for the user. A muted channel counts only mentions. */
    setMuted: (id: string, { mute, ...given }: CallOptions & { mute: boolean }) =>
      post(`${channel(id)}/mute`, { mute } satisfies MuteRequest, given),
    /**
     * Sets the notifications of an unmuted channel: `mention` notifies of mentions and direct messages, and `default`
     * follows the user's general setting.
     */
    setNotify: (id: string, notifyLevel: NotifyLevel, given?: CallOptions) =>
      post(`${channel(id)}/mute`, { notifyLevel } satisfies MuteRequest, given),
    /** Marks the channel as read, and its threads unless they are counted separately. */
    markViewed: (id: string, given?: CallOptions & { keepalive?: boolean }) =>
      post(`${channel(id)}/view`, undefined, given),
  };
}
