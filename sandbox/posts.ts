import { type Mils, NO_MILS, readMils } from "../lib/mils.ts";

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
  /** The payout. While it is pending, curators own none of it. */
  payoutMils: Mils;
  isPaidOut: boolean;
  /** The maximum payout; 0 declines payment. */
  mostMils: Mils;
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
  payoutMils: NO_MILS,
  isPaidOut: false,
  mostMils: readMils("1000000.000 HBD"),
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
    payoutMils: readMils("12.345 HBD"),
  },
  {
    ...plainPost,
    author: "bob",
    permlink: "a-paywall-in-eight-lines",
    title: "A paywall in eight lines",
    body: "What it takes to sell one page for five cents, and what it does not take.",
    category: "hive-100002",
    tags: ["hive-100002", "dev"],
    payoutMils: readMils("42.420 HBD"),
    isPaidOut: true,
  },
];
