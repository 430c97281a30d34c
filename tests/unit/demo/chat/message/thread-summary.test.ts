import { expect, test } from "vitest";
import { lastReplyAt, repliersOf, threadsOf } from "#app/(demo)/_chat/message/thread-summary.tsx";
import { samplePost } from "#tests/harness/sample-post.ts";

test("shows the time of the last reply if it is loaded or in the root, never that of an earlier reply", () => {
  const replies = ["first", "second"].map((id, index) =>
    samplePost(id, { rootId: "root", userId: id, createAt: 1000 * (index + 1) }),
  );
  const thread = threadsOf(replies).get("root");
  const root = (replyCount: number, lastReplyAt = 0) =>
    samplePost("root", { replyCount, lastReplyAt, createAt: 1 });
  expect(thread?.userIds).toEqual(["second", "first"]);
  expect(lastReplyAt(root(2), thread)).toBe(2000);
  expect(lastReplyAt(root(3), thread)).toBeNull();
  expect(lastReplyAt(root(3, 5000), thread)).toBe(5000);
  expect(lastReplyAt(root(3), undefined)).toBeNull();
  expect(lastReplyAt(root(3, 5000), undefined)).toBe(5000);
});

test("lists who replied, latest first, from all loaded replies or from the root", () => {
  const reply = (userId: string, createAt: number) =>
    samplePost(userId, { rootId: "root", userId, createAt });
  const thread = threadsOf([reply("erin", 10), reply("bob", 20)]).get("root");
  const root = (replyCount: number) =>
    samplePost("root", { replyCount, participants: ["carol", "erin", "dave"].map((id) => ({ id })) });
  expect(repliersOf(root(2), thread)).toEqual(["bob", "erin"]);
  expect(repliersOf(root(4), thread)).toEqual(["dave", "erin", "carol", "bob"]);
  expect(repliersOf(root(3), undefined)).toEqual(["dave", "erin", "carol"]);
  expect(repliersOf(samplePost("root", { replyCount: 1, participants: null }), undefined)).toEqual([]);
});
