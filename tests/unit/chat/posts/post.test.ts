import { expect, it } from "vitest";
import { projectUsers } from "#lib/chat/people/search-users.ts";
import { projectPost, usersOf } from "#lib/chat/posts/post.ts";
import { answers } from "#lib/contract/answers.ts";
import { Post } from "#lib/mattermost/posts.ts";
import { User } from "#lib/mattermost/users.ts";

const whole = {
  id: "bob",
  username: "bob",
  email: "bob@secret.example",
  roles: "system_admin",
  props: { token: "secret" },
  first_name: "Bob",
};

const post = Post.parse({
  id: "p",
  channel_id: "c",
  user_id: "alice",
  root_id: "",
  message: "hi",
  create_at: 1,
  props: {
    from_bot: "true",
    custom: "secret",
    attachments: [{ title: "Card", text: "words", actions: [{ integration: { url: "http://secret" } }] }],
  },
  participants: [whole, { id: "carol", email: "carol@secret.example" }],
  metadata: {
    reactions: [{ user_id: "dave", post_id: "p", emoji_name: "+1" }],
    embeds: [
      {
        type: "permalink",
        data: { post: { message: "linked", props: { key: "secret" }, participants: [whole] } },
      },
    ],
  },
});

it("keeps a post's contract fields and visible props, and projects every user in it", () => {
  const projected = projectPost(post, projectUsers([User.parse(whole)]));
  expect(JSON.stringify(projected)).not.toContain("secret");
  expect(projected).toMatchObject({
    message: "hi",
    props: { from_bot: "true", attachments: [{ title: "Card", text: "words" }] },
    metadata: { reactions: [{ user_id: "dave" }] },
  });
  expect(projected.participants).toEqual([
    { id: "bob", username: "bob", first_name: "Bob", last_name: "", nickname: "", last_picture_update: 0 },
    { id: "carol" },
  ]);
  expect(JSON.stringify(projected)).toContain("linked");
});

it("fills in contract fields that Mattermost omits when they are empty", () => {
  expect(answers.Post.safeParse(projectPost(post)).error?.issues).toBeUndefined();
});

it("drops values that are too deeply nested to serialize", () => {
  const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
  const deep = Post.parse({ ...post, props: nested(9000) });
  expect(projectPost(deep)).toMatchObject({ message: "hi", props: {} });
  const linked = Post.parse({ ...post, metadata: { ...post.metadata, embeds: [nested(9000)] } });
  expect(projectPost(linked).metadata).toEqual({ reactions: post.metadata?.reactions });
  const usual = Post.parse({ ...post, props: { attachments: [{ fields: nested(90) }] } });
  expect(projectPost(usual).props).toEqual(usual.props);
});

it("lists the users that a post shows", () => {
  expect(usersOf(post)).toEqual(["alice", "dave", "bob", "carol"]);
});
