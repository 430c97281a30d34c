/** `O` is public, `P` private, `D` direct, and `G` a group's. */
type ChannelType = "O" | "P" | "D" | "G";

/** The messages that notify while a channel is not muted; `default` is the user's general setting. */
export type NotifyLevel = "default" | "all" | "mention" | "none";

export type User = {
  id: string;
  /** The chain account. */
  username: string;
  firstName: string;
  lastName: string;
  nickname: string;
  /** In milliseconds since 1970; 0 without a picture. */
  lastPictureUpdate: number;
  isBot?: boolean;
  /** `online`, `away`, `dnd` or `offline`, if known. */
  status?: string;
};

/** The signed-in user, and what the gateway offers. */
export type Me = {
  user: User;
  /** The end of the chat token, in ISO 8601. */
  expiresAt?: string;
  /** Present if messages can be translated. */
  translates?: true;
  /** Present if an image host stores the pictures of public channels. */
  hostsPictures?: true;
  /** Present if the gateway fetches pictures and pages from other servers. */
  showsOutside?: true;
};

export type Bootstrap = {
  ok: true;
  userId: string;
  /** The channel of the requested community. */
  channelId?: string;
  /** The chat token. */
  token: string;
};

export type SignIn = {
  id: string;
  /** The browser or other program that signed in. */
  program?: string;
  system?: string;
  /** The app that created the access token itself. */
  app?: string;
  /** In ISO 8601. */
  openedAt: string;
  /** The time of its last bootstrap, within ten minutes, in ISO 8601. */
  seenAt: string;
  /** True for this client's sign-in. */
  isCurrent: boolean;
};

type ChannelBasics = {
  id: string;
  name: string;
  displayName: string;
  type: ChannelType;
  header: string;
  purpose: string;
};

/** A channel of the user. Times are in milliseconds since 1970. */
export type ChannelEntry = ChannelBasics & {
  teamId: string;
  lastPostAt: number;
  totalMsgCount: number;
  /** Without replies. */
  totalMsgCountRoot: number;
  createAt: number;
  isFavorite: boolean;
  isMuted: boolean;
  notifyLevel: NotifyLevel;
  /** Unread mentions. */
  mentionCount: number;
  /** Unread messages. */
  messageCount: number;
  lastViewedAt: number;
  order: number;
  /** The partner in a direct channel. */
  directUser?: User | null;
};

/** Unread counts of each channel, and in total. */
export type Unreads = {
  channels: {
    channelId: string;
    type: ChannelType;
    mentionCount: number;
    messageCount: number;
    threadUnread: number;
    unreadEligible: boolean;
  }[];
  totalMentions: number;
  totalDMs: number;
  totalThreads: number;
  totalUnread: number;
  truncated: boolean;
};

export type FoundChannel = ChannelBasics & { isMember: boolean };

export type PublicChannel = FoundChannel & {
  /** In milliseconds since 1970. */
  lastPostAt: number;
  memberCount: number;
};

export type PublicChannels = { channels: PublicChannel[]; hasMore: boolean };

export type Member = {
  user: User;
  /** The roles beyond membership; bots are marked by `isBot`. */
  roles: ("channel_admin" | "team_admin" | "system_admin" | "guest")[];
};

export type Members = { members: Member[]; hasMore: boolean };

export type Reaction = {
  userId: string;
  postId: string;
  /** A short name, such as `thumbsup`. */
  emojiName: string;
};

/** A file of a post. */
export type File = {
  id: string;
  userId?: string;
  name: string;
  extension?: string;
  /** In bytes. */
  size: number;
  /** Derived from its name. */
  mimeType?: string;
  /** For pictures, in pixels. */
  width?: number;
  height?: number;
  /** GIFs have no preview. */
  hasPreviewImage?: boolean;
};

/** A message or reply. Times are in milliseconds since 1970. */
export type Post = {
  id: string;
  channelId: string;
  userId: string;
  /** Markdown. */
  message: string;
  /** Empty unless the post is a reply. */
  rootId: string;
  /** Empty for messages of people; `system_…` for messages that Mattermost generates. */
  type: string;
  createAt: number;
  updateAt: number;
  /** 0 if the text was never edited. */
  editAt: number;
  /** 0 unless deleted. */
  deleteAt: number;
  replyCount?: number;
  /** 0, without `participants`, if the page contains all replies. */
  lastReplyAt?: number;
  participants?: { id: string }[] | null;
  isPinned?: boolean;
  /** The id that the sender chose for the post. */
  pendingPostId?: string;
  /** Entries of any program, with the names that it chose. */
  props?: Record<string, unknown> | null;
  fileIds?: string[] | null;
  metadata?: { reactions?: Reaction[] | null; files?: File[] | null } | null;
};

/** Users by id. */
type Users = Record<string, User>;

/** Channels by id. */
type Channels = Record<string, Pick<ChannelBasics, "id" | "name" | "displayName" | "type">>;

export type PostsPage = {
  /** Oldest first. */
  posts: Post[];
  users: Users;
  channel: ChannelBasics & {
    /** 0 unless archived. */
    deleteAt: number;
    /**
     * The partner in a direct channel. A deactivated one cannot read, though Mattermost still accepts messages to
     * them.
     */
    directUser?: (User & { isDeactivated?: true }) | null;
  };
  /** Null for non-members. */
  member: { lastViewedAt: number } | null;
  /** The community of the channel. */
  community: string | null;
  canModerate: boolean;
  /** True if there are older posts (with `after`: newer ones). */
  hasMore: boolean;
  memberCount?: number;
};

export type PinnedPosts = {
  /** Newest first. */
  posts: Post[];
  users: Users;
  /** Includes pinned posts beyond the listed ones. */
  total: number;
};

export type FoundPosts = {
  /** Newest first. */
  posts: Post[];
  users: Users;
  channels: Channels;
};

/** A thread that the user follows. Times are in milliseconds since 1970. */
export type FollowedThread = {
  /** The id of the first post. */
  id: string;
  channelId: string;
  replyCount: number;
  lastReplyAt: number;
  lastViewedAt: number;
  unreadReplies: number;
  unreadMentions: number;
  participants: string[];
  /** The first post. */
  post: Post;
};

export type ThreadsPage = {
  /** Latest reply first. */
  threads: FollowedThread[];
  users: Users;
  channels: Channels;
  /** The number of followed threads with unread replies. */
  totalUnread: number;
  totalMentions: number;
  hasMore: boolean;
  /** True if unread replies are counted here; otherwise they count as messages of their channels. */
  isCollapsed: boolean;
};

export type Translation = {
  text: string;
  /** The detected language of the message. */
  source: string | null;
  target: string;
};

/** A picture at the operator's image host. */
export type HostedPicture = { url: string };

/** The preview of a link. */
export type Preview = {
  kind: "hive_post" | "page";
  /** The host that answers, after all redirects. */
  site: string;
  title: string;
  description: string | null;
  /** The chain account that wrote it; null for a page. */
  author: string | null;
  /** The earnings of the post; null for a page, and if the author declines payouts. */
  payout: {
    /** The amount, such as "12.345 HBD". */
    amount: string;
    /** False while votes can still change it. */
    isPaid: boolean;
  } | null;
  /** The address to read by `pictures`. */
  picture: string | null;
};
