import type { InfiniteData } from "@tanstack/react-query";
import type { Post, PostsPage } from "./model.ts";

export type PageParam = { before: string } | { after: string } | { around: string } | Record<string, never>;

export type TimelinePage = PostsPage & {
  hasOlder: boolean;
  hasNewer: boolean;
  /** True for a page from the device while the answer that replaces it is pending. */
  isKept?: boolean;
};

/** Consecutive pages of one channel, oldest first. */
export type Timeline = InfiniteData<TimelinePage, PageParam>;

/**
 * Adds to a page whether there are older and newer posts. A request for posts before a given one implies that
 * there are newer ones.
 */
export function placePage(answer: PostsPage, param: PageParam): TimelinePage {
  if ("around" in param) return { ...answer, hasOlder: answer.hasMore, hasNewer: true };
  if ("after" in param) return { ...answer, hasOlder: true, hasNewer: answer.hasMore };
  return { ...answer, hasOlder: answer.hasMore, hasNewer: "before" in param };
}

export function paramOfOlder(first: TimelinePage): PageParam | undefined {
  const oldest = first.posts[0];
  return first.hasOlder && oldest ? { before: oldest.id } : undefined;
}

export function paramOfNewer(last: TimelinePage): PageParam | undefined {
  const newest = last.posts.at(-1);
  return last.hasNewer && newest ? { after: newest.id } : undefined;
}

/** Returns every post once, oldest first. */
export function postsOf(timeline: Pick<Timeline, "pages"> | undefined): Post[] {
  const seen = new Map<string, Post>();
  for (const page of timeline?.pages ?? []) for (const post of page.posts) seen.set(post.id, post);
  return [...seen.values()].sort((a, b) => a.createAt - b.createAt);
}

/** Returns the posts of a timeline from the device, or none once the gateway has answered. */
export const keptPostsOf = (timeline: Pick<Timeline, "pages"> | undefined): Post[] =>
  timeline?.pages.some(({ isKept }) => isKept) ? postsOf(timeline) : [];

export function mapPages(timeline: Timeline, change: (page: TimelinePage) => TimelinePage): Timeline {
  return { ...timeline, pages: timeline.pages.map(change) };
}

/** Changes one post wherever it is shown; a timeline without it stays the same object. */
export function updatePost(timeline: Timeline, postId: string, change: (post: Post) => Post): Timeline {
  if (!timeline.pages.some((page) => page.posts.some((post) => post.id === postId))) return timeline;
  return mapPages(timeline, (page) => ({
    ...page,
    posts: page.posts.map((post) => (post.id === postId ? change(post) : post)),
  }));
}

/**
 * Minimum number of posts on the first page of a channel, and the number requested before the scripts have
 * loaded.
 */
export const SMALLEST_PAGE = 40;

/** Number of posts per further page. A refetch requests as many pages of this size as are loaded. */
export const NEXT_PAGE = 100;

/**
 * Appends a new post if the end is loaded, on a new page if the last one is full. A post that is already
 * there is not repeated.
 */
export function appendPost(timeline: Timeline, post: Post): Timeline {
  const last = timeline.pages.at(-1);
  if (!last) return timeline;
  const updated = updatePost(timeline, post.id, () => post);
  if (updated !== timeline || last.hasNewer) return updated;
  const newest = last.posts.at(-1);
  if (newest && last.posts.length >= NEXT_PAGE)
    return {
      pages: [...timeline.pages, { ...last, posts: [post], hasOlder: true }],
      pageParams: [...timeline.pageParams, { after: newest.id }],
    };
  return mapPages(timeline, (page) => (page === last ? { ...page, posts: [...page.posts, post] } : page));
}
