import { MOST_PINNED, type Operations } from "./limits.ts";
import { BrowseQuery, ChannelSearchRequest, FavoriteRequest, MembersQuery, MuteRequest } from "./requests.ts";

/** Operations on the caller's channels, channels to join, and their members and contents. */
export const channelOperations = {
  "/api/chat/channels": {
    get: {
      summary: "Lists the caller's channels",
      description:
        "With unread counts, in the order of the caller's sidebar. Conversations that the caller hid are left out.",
      answer: "Channels",
    },
  },
  "/api/chat/channels/unreads": {
    get: {
      summary: "Counts unread messages, by channel and in total",
      description:
        "Direct channels count only in `totalDMs`. `truncated` is true if there are more unread threads than were counted.",
      answer: "Unreads",
    },
  },
  "/api/chat/channels/search": {
    post: {
      summary: "Searches channels by name",
      description: "Finds public channels of the team, and private ones that the caller is a member of.",
      body: ChannelSearchRequest,
      answer: "FoundChannels",
    },
  },
  "/api/chat/channels/public": {
    get: {
      summary: "Lists public channels to join",
      description:
        "Sorted by title, or only those that match `q`, without archived ones. Each comes with its purpose, header, number of members, time of the last message, and whether the caller is a member.",
      query: BrowseQuery,
      answer: "PublicChannels",
    },
  },
  "/api/chat/channels/{channelId}/members": {
    get: {
      summary: "Lists a channel's members with their roles",
      description:
        "Channel admins first, then by name; Mattermost 7.0 sorts by name only. Deactivated users are left out. Non-members get 403. Presence is requested over the websocket.",
      query: MembersQuery,
      answer: "Members",
    },
  },
  "/api/chat/channels/{channelId}/pinned": {
    get: {
      summary: "Lists the pinned posts of a channel",
      description: `Newest first, up to ${MOST_PINNED}. Pinning and unpinning arrive as \`post_edited\`, with the post's \`is_pinned\`.`,
      answer: "PinnedPosts",
    },
  },
  "/api/chat/channels/{channelId}/join": {
    post: {
      summary: "Joins a public channel",
      description: "Repeating it changes nothing. Private channels and conversations are 403.",
      answer: "Done",
    },
  },
  "/api/chat/channels/{channelId}/leave": {
    post: {
      summary: "Leaves a channel",
      description: "A conversation is hidden until its next message. A channel that cannot be left is 403.",
      answer: "Done",
    },
  },
  "/api/chat/channels/{channelId}/favorite": {
    post: {
      summary: "Sets or clears the favourite flag",
      description: "Affects only the caller.",
      body: FavoriteRequest,
      answer: "Done",
    },
  },
  "/api/chat/channels/{channelId}/mute": {
    post: {
      summary: "Mutes or unmutes a channel, and sets its notification level",
      description:
        "Send at least one of the two. A muted channel counts only mentions. Affects only the caller, whose other devices receive a websocket event. Mattermost's own apps respect both.",
      body: MuteRequest,
      answer: "Done",
    },
  },
  "/api/chat/channels/{channelId}/view": {
    post: {
      summary: "Marks a channel as read",
      description:
        "Includes its threads, unless they are counted separately. The caller's other devices receive a websocket event.",
      answer: "Done",
    },
  },
} satisfies Operations;
