import {
  bootstrapLimits,
  EDIT_BODY_BYTES,
  handshakeLimit,
  LONGEST_TRANSLATED,
  MOST_POSTS_FOUND,
  MOST_USERS_FOUND,
  newPartnersLimit,
  newPartnersOverallLimit,
  type Operations,
  POST_BODY_BYTES,
  translationLimit,
} from "./limits.ts";
import {
  BootstrapRequest,
  DirectRequest,
  FollowRequest,
  NewPostRequest,
  PinRequest,
  PostEditRequest,
  PostSearchRequest,
  PostsQuery,
  ReactionRequest,
  ThreadsQuery,
  ThreadViewRequest,
  TranslationRequest,
  UserSearchQuery,
  WebsocketQuery,
} from "./requests.ts";

/** Failures when creating a chat user for an account. */
const accountFailures = ["name_reserved", "user_limit_reached", "name_taken"] as const;

export const chatOperations = {
  "/api/chat/bootstrap": {
    post: {
      summary:
        "Exchanges an access token of a chain account for a chat user and its token (PAT), and sets the cookie",
      description: [
        "`accessToken` is one of three: the `accessToken` from `POST /api/auth/login`, a token from an external issuer that the operator configured, or one that the app creates itself.",
        'To create one, take `{"signed_message":{"type":"code","app":app},"authors":[account],"timestamp":seconds}` as JSON, where `app` is this server\'s public host unless its operator configured others, sign the SHA-256 of that text with the account\'s posting key, add `"signatures":[hex]`, and send everything as base64url. It is valid for a week, unless the operator configured another age.',
        "Repeated for the same sign-in, it returns the same user and, while it is valid, the same PAT. The same sign-in means the same access token or, for those from `POST /api/auth/login`, any token of the same login. Every other sign-in gets its own PAT. A PAT ends within a minute after its posting key is removed from the account. An account has up to 20 sign-ins; one more ends the least recently used.",
      ].join("\n\n"),
      auth: "none",
      body: BootstrapRequest,
      limits: bootstrapLimits,
      answer: "Bootstrap",
      failures: [
        "unauthorized",
        "forbidden",
        ...accountFailures,
        "not_found",
        "conflict",
        "auth_unavailable",
      ],
    },
  },
  "/api/chat/logout": {
    post: {
      summary: "Revokes the PAT and closes its websockets",
      description:
        "Other sign-ins of the account continue, and the access token can bootstrap again. Removes the cookie.",
      answer: "Done",
    },
  },
  "/api/chat/sign-ins": {
    get: {
      summary: "Lists the caller's sign-ins",
      description: "Each with its device and times: the caller's current sign-in first, then by last use.",
      answer: "SignIns",
    },
    delete: {
      summary: "Ends all sign-ins except the current one",
      description:
        "Their PATs are revoked and their websockets closed. Neither their access tokens and logins nor any others created before this call can open the chat again.",
      answer: "Done",
    },
  },
  "/api/chat/sign-ins/{signInId}": {
    delete: {
      summary: "Ends one sign-in",
      description:
        "Its PAT is revoked and its websockets are closed. Neither its access token nor its login can open the chat again.",
      answer: "Done",
    },
  },
  "/api/chat/me": {
    get: { summary: "Returns the caller", description: "The user that the PAT belongs to.", answer: "Me" },
  },
  "/api/chat/channels/{channelId}/posts": {
    get: {
      summary: "Returns a page of posts with users, membership and rights",
      description:
        "The newest page, or the one selected by `before`, `after`, `around` or `thread`; more than one of them is 400. Each takes the id of a post in this channel; any other id is 404.",
      query: PostsQuery,
      answer: "PostsPage",
      failures: ["chain_unavailable"],
    },
    post: {
      summary: "Writes a post or a reply",
      description:
        "An archived channel is 409. Send a `pendingPostId` if the request may be repeated after a lost answer. A post of type `me` describes an action of its author, like `/me waves` in Mattermost: its message is enclosed in asterisks, and clients show it without them, after the author's name.",
      body: NewPostRequest,
      bodyBytes: POST_BODY_BYTES,
      answer: "OnePost",
      failures: ["conflict"],
    },
  },
  "/api/chat/channels/{channelId}/posts/{postId}": {
    patch: {
      summary: "Edits the caller's own post",
      description: "Another user's post is 403, as is one older than Mattermost allows.",
      body: PostEditRequest,
      bodyBytes: EDIT_BODY_BYTES,
      answer: "OnePost",
    },
    delete: {
      summary: "Deletes the caller's own post, or any post as a moderator of the community",
      description:
        "Deleting the first post of a thread deletes its replies. The chain says who moderates the channel's community.",
      answer: "Done",
      failures: ["chain_unavailable"],
    },
  },
  "/api/chat/channels/{channelId}/posts/{postId}/reactions": {
    post: {
      summary: "Adds or removes a reaction",
      description: "Repeating it changes nothing. A post with too many different reactions is 409.",
      body: ReactionRequest,
      answer: "Done",
      failures: ["conflict"],
    },
  },
  "/api/chat/channels/{channelId}/posts/{postId}/pin": {
    post: {
      summary: "Pins or unpins a post",
      description: "For everyone in the channel. Repeating it changes nothing. An archived channel is 409.",
      body: PinRequest,
      answer: "Done",
      failures: ["conflict"],
    },
  },
  "/api/chat/channels/{channelId}/posts/{postId}/unread": {
    post: {
      summary: "Marks a channel as unread from a post onwards",
      description:
        "Affects only the caller, on all devices, which receive `post_unread`. A reply that is counted separately from its channel marks its thread as unread instead, and the caller then follows the thread. An archived channel is 409.",
      answer: "Done",
      failures: ["conflict"],
    },
  },
  "/api/chat/channels/{channelId}/posts/{postId}/translation": {
    post: {
      summary: "Translates a post",
      description: `Uses the operator's translation server; 404 if there is none, which \`translates\` in \`GET /api/chat/me\` reports. A post of more than ${LONGEST_TRANSLATED} characters, or a language that the server does not support, is 400.`,
      body: TranslationRequest,
      limits: [translationLimit],
      answer: "Translation",
      failures: ["translation_unavailable"],
    },
  },
  "/api/chat/threads": {
    get: {
      summary: "Lists the threads that the caller follows",
      description:
        "Threads that the caller started, replied to or was mentioned in, by latest reply, and the total number of unread ones.",
      query: ThreadsQuery,
      answer: "ThreadsPage",
    },
  },
  "/api/chat/threads/view": {
    post: {
      summary: "Marks all threads as read",
      description: "All threads that the caller follows, in every channel.",
      answer: "Done",
    },
  },
  "/api/chat/threads/{threadId}/view": {
    post: {
      summary: "Marks a thread as read up to a time",
      description: "Later replies stay unread. A thread that the caller does not follow is 404.",
      body: ThreadViewRequest,
      answer: "Done",
    },
  },
  "/api/chat/threads/{threadId}/follow": {
    post: {
      summary: "Follows or unfollows a thread",
      description: "Repeating it changes nothing.",
      body: FollowRequest,
      answer: "Done",
    },
  },
  "/api/chat/search/posts": {
    post: {
      summary: "Searches messages in the caller's channels",
      description: [
        `Newest first. Send either \`term\`, which finds up to ${MOST_POSTS_FOUND} messages over all pages, or \`mentions\` for others' messages that mention the caller: by username, by a keyword from their notification settings, or by \`@channel\`, \`@all\` and \`@here\` unless the caller ignores these.`,
        "Includes every mention that counts as unread. Read mentions come from Mattermost's search. If its database does not index such common words, `@all` and `@here` are found only in recent messages.",
      ].join("\n\n"),
      body: PostSearchRequest,
      answer: "FoundPosts",
    },
  },
  "/api/chat/direct": {
    post: {
      summary: "Opens the direct channel with a chain account",
      description:
        "If the account has no chat user, one is created, and the messages wait for the account's first sign-in. Opening it again returns the same channel.",
      body: DirectRequest,
      limits: [newPartnersLimit, newPartnersOverallLimit],
      answer: "Direct",
      failures: [...accountFailures, "conflict", "chain_unavailable"],
    },
  },
  "/api/chat/users/search": {
    get: {
      summary: "Searches users by username or full name",
      description: `Returns up to ${MOST_USERS_FOUND} users of the team.`,
      query: UserSearchQuery,
      answer: "Users",
    },
  },
  "/api/chat/users/{userId}/image": {
    get: {
      summary: "Returns a profile image",
      description:
        "Needs no token, so that `<img>` can load it. `If-None-Match` with its `ETag` returns 304.",
      auth: "none",
      cache: "public, max-age=300",
      answer: { mediaType: "image/*" },
      isTagged: true,
      failures: ["not_found", "overloaded"],
    },
  },
  "/api/chat/websocket": {
    get: {
      summary: "Upgrades to Mattermost's event stream, starting with `hello`",
      description:
        "`docs/chat.md` describes events, client frames, close codes and resuming. The token may be sent as `?token=`. Refusals are ordinary HTTP answers before the upgrade.",
      query: WebsocketQuery,
      limits: [handshakeLimit],
      answer: { upgrade: "websocket" },
      failures: ["invalid_upgrade"],
    },
  },
} satisfies Operations;
