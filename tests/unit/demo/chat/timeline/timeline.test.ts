import { describe, expect, it } from "vitest";
import type { OutgoingPost, PostsPage } from "#app/(demo)/_chat/data/model.ts";
import { rememberPendingId } from "#app/(demo)/_chat/data/outbox.ts";
import {
  appendPost,
  type PageParam,
  paramOfNewer,
  paramOfOlder,
  placePage,
  postsOf,
  type Timeline,
  updatePost,
} from "#app/(demo)/_chat/data/timeline-pages.ts";
import { viewOf } from "#app/(demo)/_chat/list/list-handle.ts";
import { openingOf, rowsOf } from "#app/(demo)/_chat/timeline/rows.ts";
import { samplePost } from "#tests/harness/sample-post.ts";

const MINUTE = 60_000;
const answer = (posts: PostsPage["posts"], hasMore: boolean) => ({ posts, hasMore }) as PostsPage;
const timelineOf = (...pages: Array<[PostsPage, PageParam]>): Timeline => ({
  pages: pages.map(([page, param]) => placePage(page, param)),
  pageParams: pages.map(([, param]) => param),
});
const [a, b, c] = [1, 2, 3].map((n) => samplePost(`p${n}`, { createAt: n * 1_000 })) as [
  ReturnType<typeof samplePost>,
  ReturnType<typeof samplePost>,
  ReturnType<typeof samplePost>,
];

describe("a timeline", () => {
  it("loads older posts while there are any, and newer ones unless the end is loaded", () => {
    const latest = placePage(answer([a, b], true), {});
    expect([paramOfOlder(latest), paramOfNewer(latest)]).toEqual([{ before: "p1" }, undefined]);
    const around = placePage(answer([a, b], true), { around: "p1" });
    expect([paramOfOlder(around), paramOfNewer(around)]).toEqual([{ before: "p1" }, { after: "p2" }]);
    const atStart = placePage(answer([a, b], false), { around: "p1" });
    expect([paramOfOlder(atStart), paramOfNewer(atStart)]).toEqual([undefined, { after: "p2" }]);
    expect(paramOfNewer(placePage(answer([c], false), { after: "p2" }))).toBeUndefined();
    expect(paramOfOlder(placePage(answer([a], false), { before: "p2" }))).toBeUndefined();
  });

  it("shows every post once, oldest first", () => {
    const timeline = timelineOf([answer([b, c], true), {}], [answer([a, b], false), { after: "x" }]);
    expect(postsOf(timeline).map(({ id }) => id)).toEqual(["p1", "p2", "p3"]);
  });

  it("appends a new post once, and not at all if the end is not loaded", () => {
    const atEnd = timelineOf([answer([a], false), {}]);
    const grown = appendPost(appendPost(atEnd, b), b);
    expect(postsOf(grown).map(({ id }) => id)).toEqual(["p1", "p2"]);
    const inMiddle = timelineOf([answer([a], false), { around: "p1" }]);
    expect(appendPost(inMiddle, c)).toBe(inMiddle);
  });

  it("grows by pages of the size that a full refetch requests", () => {
    const lived = Array.from({ length: 250 }, (_, n) => samplePost(`l${n}`, { createAt: 2_000 + n }));
    const grown = lived.reduce(appendPost, timelineOf([answer([a], false), {}]));
    expect(grown.pages.map(({ posts }) => posts.length)).toEqual([100, 100, 51]);
    expect(grown.pageParams).toEqual([{}, { after: "l98" }, { after: "l198" }]);
    expect(postsOf(grown)).toHaveLength(251);
  });

  it("stays the same object if the changed post is absent", () => {
    const timeline = timelineOf([answer([a], false), {}]);
    expect(updatePost(timeline, "other", () => b)).toBe(timeline);
    expect(postsOf(updatePost(timeline, "p1", (post) => ({ ...post, message: "new" })))[0]?.message).toBe(
      "new",
    );
  });
});

describe("building a timeline's rows", () => {
  const reader = { myId: "me", lastViewedAt: null, isStart: true };

  it("keeps a post's row if later copies lack its pending id", () => {
    const sent = samplePost("sent", { pendingPostId: "me:1" });
    const [row] = rowsOf([sent], [], reader);
    rememberPendingId(sent);
    const later = { ...sent, message: "edited", pendingPostId: "" };
    expect(rowsOf([later], [], reader)[0]?.key).toBe(row?.key);
    const waiting = { pendingId: "me:1", state: "sending" } as OutgoingPost;
    expect(rowsOf([later], [waiting], reader)).toHaveLength(1);
  });

  it("groups a person's messages within five minutes, unless another person or an event comes between", () => {
    const noon = new Date(2026, 0, 1, 12).getTime();
    const said = (minutes: number, change = {}) =>
      samplePost(`at${minutes}`, { createAt: noon + minutes * MINUTE, ...change });
    const posts = [
      said(0),
      said(4),
      said(5, { userId: "alice" }),
      said(6),
      said(12),
      said(13, { type: "system_join_channel" }),
    ];
    const rows = rowsOf(posts, [], reader);
    expect(rows.map((row) => row.kind === "post" && row.isGrouped)).toEqual([
      false,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it("starts a day where the date changes, and at the channel's beginning", () => {
    const noon = new Date(2026, 0, 1, 12).getTime();
    const posts = [noon, noon + MINUTE, noon + 24 * 60 * MINUTE].map((createAt, index) =>
      samplePost(`${index}`, { createAt }),
    );
    const starts = (isStart: boolean) =>
      rowsOf(posts, [], { ...reader, isStart }).map((row) => row.kind === "post" && row.startsDay);
    expect(starts(true)).toEqual([true, false, true]);
    expect(starts(false)).toEqual([false, false, true]);
  });

  it("draws the line above the first unseen post of another person", () => {
    const own = samplePost("own", { createAt: 2_500, userId: "me" });
    const rows = rowsOf([a, b, own, c], [], { ...reader, lastViewedAt: 2_000 });
    expect(rows.map((row) => row.kind === "post" && row.isFirstNew)).toEqual([false, false, false, true]);
    expect(openingOf(rows, { anchor: undefined, startsAtEnd: false })).toEqual({ key: "p3", align: "start" });
    expect(openingOf(rows, { anchor: undefined, startsAtEnd: true })).toBe("end");
  });

  it("draws no line at the first loaded post while older ones are not loaded", () => {
    const rows = rowsOf([b, c], [], { myId: "me", lastViewedAt: 500, isStart: false });
    expect(rows.some((row) => row.kind === "post" && row.isFirstNew)).toBe(false);
  });

  it("ends with posts being sent, unless they have already arrived", () => {
    const outgoing = (pendingId: string) => ({
      pendingId,
      channelId: "room",
      rootId: "",
      message: "x",
      createdAt: 1,
      state: "sending" as const,
    });
    const confirmed = { ...c, pendingPostId: "me:1" };
    const rows = rowsOf([a, confirmed], [outgoing("me:1"), outgoing("me:2")], reader);
    expect(rows.map(({ key }) => key)).toEqual(["p1", "me:1", "me:2"]);
  });

  it("opens at the linked post, or for a reply at its root or the post before it", () => {
    const rows = rowsOf([a, b, c], [], reader);
    const at = (anchor: ReturnType<typeof samplePost>) => openingOf(rows, { anchor, startsAtEnd: false });
    expect(at(b)).toEqual({ key: "p2", align: "center" });
    expect(at(samplePost("reply", { rootId: "p1", createAt: 9_000 }))).toEqual({
      key: "p1",
      align: "center",
    });
    expect(at(samplePost("reply", { rootId: "far", createAt: 2_500 }))).toEqual({
      key: "p2",
      align: "center",
    });
    expect(at(samplePost("early", { rootId: "far", createAt: 500 }))).toBe("end");
  });
});

describe("the view of a list", () => {
  const view = (scrollTop: number) => viewOf({ scrollTop, scrollHeight: 20_000, clientHeight: 600 });

  it("reports an edge within a line's height, and a near edge within a few screens", () => {
    expect(view(0)).toEqual({ isAtStart: true, isNearStart: true, isNearEnd: false, isAtEnd: false });
    expect(view(2_900)).toEqual({ isAtStart: false, isNearStart: true, isNearEnd: false, isAtEnd: false });
    expect(view(10_000)).toEqual({ isAtStart: false, isNearStart: false, isNearEnd: false, isAtEnd: false });
    expect(view(19_370)).toEqual({ isAtStart: false, isNearStart: false, isNearEnd: true, isAtEnd: false });
    expect(view(19_380)).toEqual({ isAtStart: false, isNearStart: false, isNearEnd: true, isAtEnd: true });
  });

  it("reports both edges if everything fits", () => {
    expect(viewOf({ scrollTop: 0, scrollHeight: 600, clientHeight: 600 })).toEqual({
      isAtStart: true,
      isNearStart: true,
      isNearEnd: true,
      isAtEnd: true,
    });
  });
});
