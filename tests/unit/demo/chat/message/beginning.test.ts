import { expect, test } from "vitest";
import type { Post } from "#app/(demo)/_chat/data/model.ts";
import { beginningOf } from "#app/(demo)/_chat/message/message.tsx";
import { strings } from "#app/(demo)/_chat/strings.en.ts";

const post = (fields: object) => ({ type: "", message: "", ...fields }) as unknown as Post;

test("a message is named by its first words, or by those of its attachments", () => {
  expect(beginningOf(post({ message: "good\nmorning :wave:" }))).toBe("good morning 👋");
  expect(beginningOf(post({ message: "x".repeat(100) }))).toBe(`${"x".repeat(80)}…`);
  const files = [{ name: "valley.png", mimeType: "image/png" }];
  expect(beginningOf(post({ metadata: { files } }))).toBe(strings.pictureAlone("valley.png"));
  expect(beginningOf(post({ props: { attachments: [{ text: "Build 7 failed" }] } }))).toBe("Build 7 failed");
});
