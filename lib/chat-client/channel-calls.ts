import type {
  ChannelEntry,
  FoundChannel,
  Member,
  PinnedPosts,
  PublicChannel,
  Unreads,
} from "../contract/answers.ts";
import type { Call, CallOptions } from "./request.ts";
import type { ChatSession } from "./session.ts";

/** A page, which begins at 0, of a list, or of what in it matches `q`. */
type Search = CallOptions & { q?: string; page?: number; perPage?: number };

/** What the client asks about channels. */
export function createChannelCalls(session: ChatSession) {
  const channel = (id: string) => `/channels/${encodeURIComponent(id)}`;
  const post = async (path: string, body: unknown, given: Call = {}): Promise<void> => {
    await session.call(path, { ...given, method: "POST", body });
  };
  return {
    /** The user's channels in the order of a sidebar. @throws ChatError */
    async list(given?: CallOptions): Promise<ChannelEntry[]> {
      return (await session.call<{ channels: ChannelEntry[] }>("/channels", given)).channels;
    },
    /** What is new in each channel and in sum. @throws ChatError */
    unreads: (given?: CallOptions): Promise<Unreads> => session.call("/channels/unreads", given),
    /** Public channels and own ones whose name matches; a term of less than two characters finds none. @throws ChatError */
    async search(term: string, given?: CallOptions): Promise<FoundChannel[]> {
      const call = { ...given, method: "POST", body: { term } } as const;
      return (await session.call<{ channels: FoundChannel[] }>("/channels/search", call)).channels;
    },
    /** A page of the public channels, by title or of those that match `q`, with what they are for. @throws ChatError */
    browse: ({
      perPage,
      signal,
      ...wanted
    }: Search = {}): Promise<{
      channels: PublicChannel[];
      hasMore: boolean;
    }> =>
      session.call("/channels/public", {
        query: { ...wanted, per_page: perPage },
        ...(signal && { signal }),
      }),
    /** A page of a channel's members with their roles, its admins first. @throws ChatError `forbidden` for whoever is no member */
    members: (
      id: string,
      { perPage, signal, ...wanted }: Search = {},
    ): Promise<{ members: Member[]; hasMore: boolean }> =>
      session.call(`${channel(id)}/members`, {
        query: { ...wanted, per_page: perPage },
        ...(signal && { signal }),
      }),
    /** The pinned posts, latest first. @throws ChatError */
    pinned: (id: string, given?: CallOptions): Promise<PinnedPosts> =>
      session.call(`${channel(id)}/pinned`, given),
    /** @throws ChatError `not_found`, `forbidden` for a private channel */
    join: (id: string, given?: CallOptions) => post(`${channel(id)}/join`, undefined, given),
    leave: (id: string, given?: CallOptions) => post(`${channel(id)}/leave`, undefined, given),
    setFavorite: (id: string, favorite: boolean, given?: CallOptions) =>
      post(`${channel(id)}/favorite`, { favorite }, given),
    /** Muted channels count mentions alone. */
    setMuted: (id: string, mute: boolean, given?: CallOptions) =>
      post(`${channel(id)}/mute`, { mute }, given),
    /** What notifies while the channel is not muted: `mention` is mentions and direct messages, `default` as everywhere. */
    setNotify: (id: string, notifyLevel: ChannelEntry["notify_level"], given?: CallOptions) =>
      post(`${channel(id)}/mute`, { notifyLevel }, given),
    /** Marks the channel as read, and its threads where they are not kept apart. */
    markViewed: (id: string, given?: CallOptions & { keepalive?: boolean }) =>
      post(`${channel(id)}/view`, undefined, given),
  };
}
