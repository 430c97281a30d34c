import { expect, it } from "vitest";
import { templateOf } from "../../../lib/http/record-request.ts";

it("names the parameters of a path, so that the log holds routes and no ids", () => {
  const params = { channelId: "c".repeat(26), postId: "p".repeat(26) };
  const path = `/api/chat/channels/${params.channelId}/posts/${params.postId}`;
  expect(templateOf(path, params)).toBe("/api/chat/channels/{channelId}/posts/{postId}");
});

it("names parameters that were encoded or are no valid encoding", () => {
  expect(templateOf("/api/x/a%20b", { name: "a b" })).toBe("/api/x/{name}");
  expect(templateOf("/api/x/%zz", { name: "%zz" })).toBe("/api/x/{name}");
});
