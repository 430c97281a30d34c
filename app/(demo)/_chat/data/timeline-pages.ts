import type { InfiniteData } from "@tanstack/react-query";
import type { Post, PostsPage } from "./model.ts";

export type PageParam = { before: string } | { after: string } | { around: string } | Record<string, never>;

export type TimelinePage = PostsPage & {
  hasOlder: boolean;
  hasNewer: boolean;
  /** It was kept on the device, and the answer that replaces it is still to come. */
  isKept?: boolean;
};

/** Consecutive pages of one channel, oldest first. */
export type Timeline = InfiniteData<TimelinePage, PageParam>;

/** Tells a page where it lies: whoever asked for posts before one knows that there are newer. */
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

/** Every post once, oldest first. */
export function postsOf(timeline: Pick<Timeline, "pages"> | undefined): Post[] {
  const seen = new Map<string, Post>();
  for (const page of timeline?.pages ?? []) for (const post of page.posts) seen.set(post.id, post);
  return [...seen.values()].sort((a, b) => a.create_at - b.create_at);
}

/** The posts of a timeline that was kept on the device; none of one that was answered. */
export const keptPostsOf = (timeline: Pick<Timeline, "pages"> | undefined): Post[] =>
  timeline?.pages.some(({ isKept }) => isKept) ? postsOf(timeline) : [];

export function mapPages(timeline: Timeline, change: (page: TimelinePage) => TimelinePage): Timeline {
  return { ...timeline, pages: timeline.pages.map(change) };
}

/** Changes one post where it is shown; a timeline without it stays the same object. */
export function updatePost(timeline: Timeline, postId: string, change: (post: Post) => Post): Timeline {
  if (!timeline.pages.some((page) => page.posts.some((post) => post.id === postId))) return timeline;
  return mapPages(timeline, (page) => ({
    ...page,
    posts: page.posts.map((post) => (post.id === postId ? change(post) : post)),
  }));
}

/** How many posts the first page of a channel holds at least; so many are asked for before the scripts are there. */
export const SMALLEST_PAGE = 40;

/** How many posts a page after the first holds; a reading of all asks for as many pages of this size as are kept. */
export const NEXT_PAGE = 100;

/** Adds a new post at the end, when the end is loaded, on a page of its own where the last is full; the same post twice stays one. */
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
