import type {
  ChannelEntry,
  Channels,
  FoundChannel,
  FoundChannels,
  Member,
  Members,
  PinnedPosts,
  PublicChannel,
  PublicChannels,
  Unreads,
} from "../contract/answers.ts";
import type { BrowseQuery, MembersQuery, MuteRequest } from "../contract/requests.ts";
import { callForPage, eachOfPages, type Wanted } from "./pages.ts";
import type { Call, CallOptions } from "./request.ts";
import type { ChatSession } from "./session.ts";

/** What the client asks about channels. */
export function createChannelCalls(session: ChatSession) {
  const channel = (id: string) => `/channels/${encodeURIComponent(id)}`;
  const post = async (path: string, body: unknown, given: Call = {}): Promise<void> => {
    await session.call(path, { ...given, method: "POST", body });
  };
  const browse = (wanted: Wanted<BrowseQuery> = {}): Promise<PublicChannels> =>
    session.call("/channels/public", callForPage(wanted));
  const members = (id: string, wanted: Wanted<MembersQuery> = {}): Promise<Members> =>
    session.call(`${channel(id)}/members`, callForPage(wanted));

  return {
    /** The user's channels in the order of a sidebar. @throws ChatError */
    async list(given?: CallOptions): Promise<ChannelEntry[]> {
      return (await session.call<Channels>("/channels", given)).channels;
    },
    /** What is new in each channel and in sum. @throws ChatError */
    unreads: (given?: CallOptions): Promise<Unreads> => session.call("/channels/unreads", given),
    /** Public channels and own ones whose name matches; a term of less than two characters finds none. @throws ChatError */
    async search(term: string, given?: CallOptions): Promise<FoundChannel[]> {
      const call = { ...given, method: "POST", body: { term } } as const;
      return (await session.call<FoundChannels>("/channels/search", call)).channels;
    },
    /** A page of the public channels, by title or of those that match `q`, with what they are for. @throws ChatError */
    browse,
    /** All of them, page by page as they are read. @throws ChatError */
    browseAll: (given?: Omit<Wanted<BrowseQuery>, "page">) =>
      eachOfPages<PublicChannel>(async (page) => {
        const { channels, hasMore } = await browse({ ...given, page });
        return { items: channels, hasMore };
      }),
    /** A page of a channel's members with their roles, its admins first. @throws ChatError `forbidden` for whoever is no member */
    members,
    /** All of them, page by page as they are read. @throws ChatError `forbidden` for whoever is no member */
    allMembers: (id: string, given?: Omit<Wanted<MembersQuery>, "page">) =>
      eachOfPages<Member>(async (page) => {
        const { members: items, hasMore } = await members(id, { ...given, page });
        return { items, hasMore };
      }),
    /** The pinned posts, latest first. @throws ChatError */
    pinned: (id: string, given?: CallOptions): Promise<PinnedPosts> =>
      session.call(`${channel(id)}/pinned`, given),
    /** @throws ChatError `not_found`, `forbidden` for a private channel */
    join: (id: string, given?: CallOptions) => post(`${channel(id)}/join`, undefined, given),
    leave: (id: string, given?: CallOptions) => post(`${channel(id)}/leave`, undefined, given),
    setFavorite: (id: string, { favorite, ...given }: CallOptions & { favorite: boolean }) =>
      post(`${channel(id)}/favorite`, { favorite }, given),
    /** Muted channels count mentions alone. */
    setMuted: (id: string, { mute, ...given }: CallOptions & { mute: boolean }) =>
      post(`${channel(id)}/mute`, { mute } satisfies MuteRequest, given),
    /** What notifies while the channel is not muted: `mention` is mentions and direct messages, `default` as everywhere. */
    setNotify: (id: string, notifyLevel: NonNullable<MuteRequest["notifyLevel"]>, given?: CallOptions) =>
      post(`${channel(id)}/mute`, { notifyLevel } satisfies MuteRequest, given),
    /** Marks the channel as read, and its threads where they are not kept apart. */
    markViewed: (id: string, given?: CallOptions & { keepalive?: boolean }) =>
      post(`${channel(id)}/view`, undefined, given),
  };
}
