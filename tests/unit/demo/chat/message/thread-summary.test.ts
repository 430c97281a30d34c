import { expect, test } from "vitest";
import { lastReplyAt, repliersOf, threadsOf } from "#app/(demo)/_chat/message/thread-summary.tsx";
import { samplePost } from "#tests/harness/sample-post.ts";

test("shows the time of the last reply if it is loaded or in the root, never an earlier one", () => {
  const replies = ["first", "second"].map((id, index) =>
    samplePost(id, { root_id: "root", user_id: id, create_at: 1000 * (index + 1) }),
  );
  const thread = threadsOf(replies).get("root");
  const root = (reply_count: number, last_reply_at = 0) =>
    samplePost("root", { reply_count, last_reply_at, create_at: 1 });
  expect(thread?.userIds).toEqual(["second", "first"]);
  expect(lastReplyAt(root(2), thread)).toBe(2000);
  expect(lastReplyAt(root(3), thread)).toBeNull();
  expect(lastReplyAt(root(3, 5000), thread)).toBe(5000);
  expect(lastReplyAt(root(3), undefined)).toBeNull();
  expect(lastReplyAt(root(3, 5000), undefined)).toBe(5000);
});

test("lists who replied, latest first, from all loaded replies or from the root", () => {
  const reply = (user_id: string, create_at: number) =>
    samplePost(user_id, { root_id: "root", user_id, create_at });
  const thread = threadsOf([reply("erin", 10), reply("bob", 20)]).get("root");
  const root = (reply_count: number) =>
    samplePost("root", { reply_count, participants: ["carol", "erin", "dave"].map((id) => ({ id })) });
  expect(repliersOf(root(2), thread)).toEqual(["bob", "erin"]);
  expect(repliersOf(root(4), thread)).toEqual(["dave", "erin", "carol", "bob"]);
  expect(repliersOf(root(3), undefined)).toEqual(["dave", "erin", "carol"]);
  expect(repliersOf(samplePost("root", { reply_count: 1, participants: null }), undefined)).toEqual([]);
});
