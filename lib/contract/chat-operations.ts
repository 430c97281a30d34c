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

/** Failures of creating a chat user for an account. */
const accountFailures = ["name_reserved", "user_limit_reached", "name_taken"] as const;

export const chatOperations = {
  "/api/chat/bootstrap": {
    post: {
      summary:
        "Turns an access token of a chain account into a chat user and its token (PAT), and sets the cookie",
      description: [
        "`accessToken` is one of three: `accessToken` of `POST /api/auth/login`; a token of an external issuer that the operator named; or one that the app forms itself.",
        'For the last take `{"signed_message":{"type":"code","app":app},"authors":[account],"timestamp":seconds}` as JSON, where `app` is the public host of this server unless its operator names others, sign the SHA-256 of that text with the account\'s posting key, add `"signatures":[hex]`, and send all of it as base64url. It may be a week old, unless the operator says otherwise.',
        "Made again with an access token of the same sign-in it gives the same user and the same PAT, as long as that is good: the same token, or for those of `POST /api/auth/login` any of the same login. Each other sign-in has a PAT of its own. A PAT ends within a minute when its posting key is the account's no more; of more than 20 sign-ins the least recently used ends.",
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
      summary: "Revokes the PAT, closes its websockets",
      description:
        "Other sign-ins of the account go on. The access token may bootstrap again. Takes the cookie away.",
      answer: "Done",
    },
  },
  "/api/chat/sign-ins": {
    get: {
      summary: "The caller's sign-ins",
      description: "Each with its device and times: the caller's own first, then by last use.",
      answer: "SignIns",
    },
    delete: {
      summary: "Ends all sign-ins but the caller's own",
      description:
        "Their PATs are revoked and their websockets closed, and neither their access tokens nor their logins open the chat again; nor do others that were made before this.",
      answer: "Done",
    },
  },
  "/api/chat/sign-ins/{signInId}": {
    delete: {
      summary: "Ends one sign-in",
      description:
        "Its PAT is revoked and its websockets are closed; neither its access token nor its login opens the chat again.",
      answer: "Done",
    },
  },
  "/api/chat/me": {
    get: { summary: "The caller", description: "Whose PAT it is.", answer: "Me" },
  },
  "/api/chat/channels/{channelId}/posts": {
    get: {
      summary: "A page of posts with users, membership and rights",
      description:
        "The newest page, or what **one** of `before`, `after`, `around` and `thread` asks for: two of them are 400. Each takes the id of a post of this channel; any other is 404.",
      query: PostsQuery,
      answer: "PostsPage",
      failures: ["chain_unavailable"],
    },
    post: {
      summary: "Writes a post or a reply",
      description:
        "An archived channel is 409. Give `pendingPostId` where a request may be sent again after its answer was lost. A post of the type `me` tells what its author does, as Mattermost's `/me waves`: its message stands between asterisks, which clients leave out, behind the author's name.",
      body: NewPostRequest,
      bodyBytes: POST_BODY_BYTES,
      answer: "OnePost",
      failures: ["conflict"],
    },
  },
  "/api/chat/channels/{channelId}/posts/{postId}": {
    patch: {
      summary: "Changes the text of one's own post",
      description: "Somebody else's is 403, as is one that is older than Mattermost allows.",
      body: PostEditRequest,
      bodyBytes: EDIT_BODY_BYTES,
      answer: "OnePost",
    },
    delete: {
      summary: "Deletes one's own post, or as a moderator of the community any",
      description:
        "The replies of a thread go with the post that began it. Moderators are those whom the chain names for the channel's community.",
      answer: "Done",
      failures: ["chain_unavailable"],
    },
  },
  "/api/chat/channels/{channelId}/posts/{postId}/reactions": {
    post: {
      summary: "Adds or removes a reaction",
      description: "Once more changes nothing. A post with too many kinds of reactions is 409.",
      body: ReactionRequest,
      answer: "Done",
      failures: ["conflict"],
    },
  },
  "/api/chat/channels/{channelId}/posts/{postId}/pin": {
    post: {
      summary: "Pins a post to its channel, or takes it off",
      description: "For everybody; once more changes nothing. In an archived channel it is 409.",
      body: PinRequest,
      answer: "Done",
      failures: ["conflict"],
    },
  },
  "/api/chat/channels/{channelId}/posts/{postId}/unread": {
    post: {
      summary: "Marks a channel as unread from a post on",
      description:
        "Only for the caller, on all devices, which hear of it by `post_unread`. A reply that counts apart from its channel makes its thread unread, which the caller then follows. In an archived channel it is 409.",
      answer: "Done",
      failures: ["conflict"],
    },
  },
  "/api/chat/channels/{channelId}/posts/{postId}/translation": {
    post: {
      summary: "A post in another language",
      description: `By the translator of the operator; 404 where there is none, which \`translates\` of \`GET /api/chat/me\` tells. At most ${LONGEST_TRANSLATED} characters; more, and a language that the translator does not know, are 400.`,
      body: TranslationRequest,
      limits: [translationLimit],
      answer: "Translation",
      failures: ["translation_unavailable"],
    },
  },
  "/api/chat/threads": {
    get: {
      summary: "The threads that the caller follows",
      description:
        "Those that the caller began, answered in or was named in, latest reply first, and how many of all are unread.",
      query: ThreadsQuery,
      answer: "ThreadsPage",
    },
  },
  "/api/chat/threads/view": {
    post: {
      summary: "Marks all threads as read",
      description: "All that the caller follows, in every channel.",
      answer: "Done",
    },
  },
  "/api/chat/threads/{threadId}/view": {
    post: {
      summary: "Marks a thread as read up to a time",
      description: "What was answered later stays unread. A thread that is not followed is 404.",
      body: ThreadViewRequest,
      answer: "Done",
    },
  },
  "/api/chat/threads/{threadId}/follow": {
    post: {
      summary: "Follows a thread, or gives it up",
      description: "Once more changes nothing.",
      body: FollowRequest,
      answer: "Done",
    },
  },
  "/api/chat/search/posts": {
    post: {
      summary: "Messages in the caller's channels",
      description: [
        `Newest first; of a \`term\` at most ${MOST_POSTS_FOUND} over all pages. Give \`term\`, or \`mentions\` for what others wrote that names the caller: by name or by a word of their notification settings, or with \`@channel\`, \`@all\` and \`@here\` unless they ignore these.`,
        "Every mention that counts as unread is among them. Those that were read are what Mattermost's search finds; where its database leaves out words so common, `@all` and `@here` are found in the latest messages alone.",
      ].join("\n\n"),
      body: PostSearchRequest,
      answer: "FoundPosts",
    },
  },
  "/api/chat/direct": {
    post: {
      summary: "Opens the direct channel with a chain account",
      description:
        "The account needs no chat user: one is made, and the account finds what was written when it comes. Opened again it is the same channel.",
      body: DirectRequest,
      limits: [newPartnersLimit, newPartnersOverallLimit],
      answer: "Direct",
      failures: [...accountFailures, "conflict", "chain_unavailable"],
    },
  },
  "/api/chat/users/search": {
    get: {
      summary: "Users by username or full name",
      description: `At most ${MOST_USERS_FOUND} of the team's users.`,
      query: UserSearchQuery,
      answer: "Users",
    },
  },
  "/api/chat/users/{userId}/image": {
    get: {
      summary: "A profile image",
      description: "For `<img>`: no token. `If-None-Match` with its `ETag` is answered by 304.",
      auth: "none",
      cache: "public, max-age=300",
      answer: { mediaType: "image/*" },
      isTagged: true,
      failures: ["not_found", "overloaded"],
    },
  },
  "/api/chat/websocket": {
    get: {
      summary: "Upgrades to Mattermost's event stream, from `hello` on",
      description:
        "Events, frames of the client, close codes and resuming stand in `docs/chat.md`. The token may come in `?token=`. Refusals are ordinary answers, before any upgrade.",
      query: WebsocketQuery,
      limits: [handshakeLimit],
      answer: { upgrade: "websocket" },
      failures: ["invalid_upgrade"],
    },
  },
} satisfies Operations;
