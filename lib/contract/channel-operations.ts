import { MOST_PINNED, type Operations } from "./limits.ts";
import { BrowseQuery, ChannelSearchRequest, FavoriteRequest, MembersQuery, MuteRequest } from "./requests.ts";

/** Operations on the caller's channels, channels to join, and their members and contents. */
export const channelOperations = {
  "/api/chat/channels": {
    get: {
      summary: "The caller's channels",
      description:
        "With what is new in each, in the order of the caller's sidebar. Conversations that the caller put away are left out.",
      answer: "Channels",
    },
  },
  "/api/chat/channels/unreads": {
    get: {
      summary: "What is new, by channel and in sum",
      description:
        "Direct channels count in `totalDMs` alone. `truncated` where more threads are unread than were counted.",
      answer: "Unreads",
    },
  },
  "/api/chat/channels/search": {
    post: {
      summary: "Channels by name",
      description: "Public channels of the team, and private ones of which the caller is a member.",
      body: ChannelSearchRequest,
      answer: "FoundChannels",
    },
  },
  "/api/chat/channels/public": {
    get: {
      summary: "Public channels to join, with what they are for",
      description:
        "By title, or those with the words of `q`, archived ones left out: purpose and header, how many members, when last something was written, and whether the caller is in.",
      query: BrowseQuery,
      answer: "PublicChannels",
    },
  },
  "/api/chat/channels/{channelId}/members": {
    get: {
      summary: "Who is in a channel, and as what",
      description:
        "A channel's admins first, then by name (by name alone where Mattermost is as old as 7.0); deactivated users are left out. Only for its members: anybody else gets 403. Presence is asked for over the websocket.",
      query: MembersQuery,
      answer: "Members",
    },
  },
  "/api/chat/channels/{channelId}/pinned": {
    get: {
      summary: "The pinned posts of a channel",
      description: `Latest first, at most ${MOST_PINNED}. Pinning and unpinning come as \`post_edited\`, by the post's \`is_pinned\`.`,
      answer: "PinnedPosts",
    },
  },
  "/api/chat/channels/{channelId}/join": {
    post: {
      summary: "Joins a public channel",
      description: "Once more changes nothing. Private channels and conversations are 403.",
      answer: "Done",
    },
  },
  "/api/chat/channels/{channelId}/leave": {
    post: {
      summary: "Leaves a channel",
      description:
        "A conversation is put away until its next message. A channel that nobody can leave is 403.",
      answer: "Done",
    },
  },
  "/api/chat/channels/{channelId}/favorite": {
    post: {
      summary: "Sets or clears the favourite flag",
      description: "Only for the caller.",
      body: FavoriteRequest,
      answer: "Done",
    },
  },
  "/api/chat/channels/{channelId}/mute": {
    post: {
      summary: "Mutes (mentions only) or unmutes, and sets what notifies",
      description:
        "At least one of the two. Only for the caller, whose other devices hear of it by an event of the websocket. Mattermost's own apps follow both.",
      body: MuteRequest,
      answer: "Done",
    },
  },
  "/api/chat/channels/{channelId}/view": {
    post: {
      summary: "Marks a channel as read",
      description:
        "Its threads too, where they are not kept apart. The caller's other devices hear of it by an event of the websocket.",
      answer: "Done",
    },
  },
} satisfies Operations;
