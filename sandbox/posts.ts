/** A post in the community index. */
export type SandboxPost = {
  author: string;
  permlink: string;
  /** The title; for a comment, the title of its root. */
  title: string;
  body: string;
  /** The community's name, or a tag. */
  category: string;
  tags: readonly string[];
  pictures: readonly string[];
  /** Time in seconds since 1970. */
  created: number;
  /** The payout in 1/1000 HBD. While it is pending, curators own none of it. */
  payoutMillis: number;
  isPaidOut: boolean;
  /** Maximum payout in 1/1000 HBD; 0 declines payment. */
  mostMillis: number;
  parent: { author: string; permlink: string } | null;
  /** True if moderators muted the post or its author. */
  isGray: boolean;
  /** True if votes have hidden it. */
  isHidden: boolean;
};

/** The default fields of a post. */
export const plainPost: Omit<SandboxPost, "author" | "permlink"> = {
  title: "",
  body: "",
  category: "photography",
  tags: [],
  pictures: [],
  created: 1_767_225_600,
  payoutMillis: 0,
  isPaidOut: false,
  mostMillis: 1_000_000_000,
  parent: null,
  isGray: false,
  isHidden: false,
};

/** Posts of the sandbox's people. */
export const sandboxPosts: readonly SandboxPost[] = [
  {
    ...plainPost,
    author: "alice",
    permlink: "light-in-the-valley",
    title: "Light in the valley: a morning in twelve pictures",
    body: "The fog lifts at seven. By half past the river is gold, and by eight it is over.",
    category: "hive-100001",
    tags: ["hive-100001", "photography"],
    payoutMillis: 12_345,
  },
  {
    ...plainPost,
    author: "bob",
    permlink: "a-paywall-in-eight-lines",
    title: "A paywall in eight lines",
    body: "What it takes to sell one page for five cents, and what it does not take.",
    category: "hive-100002",
    tags: ["hive-100002", "dev"],
    payoutMillis: 42_420,
    isPaidOut: true,
  },
];
