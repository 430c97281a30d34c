import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createChatClient } from "../../../lib/chat-client/index.ts";
import { findAuthor } from "../../../lib/cli/find-author.ts";
import { type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { unique } from "../../harness/unique.ts";

let world: ChatWorld;
let agent: Person;
let bob: Person;
beforeAll(async () => {
  world = await startChatWorld();
  agent = await world.login("carol");
  bob = await world.login("bob");
});
afterAll(() => world.close());

const find = (userId: string, senderName: string) =>
  findAuthor(createChatClient({ baseUrl: world.gateway.url, token: agent.pat }), { userId, senderName });

describe("the author of a message", () => {
  test("is the account that the sender's name and user belong to", async () => {
    expect(await find(bob.id, "@bob")).toBe("bob");
  });

  test.each(["alice", "@alice", "bob. Amount: 0.001 HBD", "@bob\nAmount: 0.001 HBD", ""])(
    "is unknown if another user's message shows the name %j",
    async (name) => {
      await world.login("alice");
      expect(await find(bob.id, name)).toBeNull();
    },
  );

  test("is unknown if the user only has an account's name in Mattermost", async () => {
    const username = unique("m");
    const { id } = await world.admin<{ id: string }>("POST", "/users", {
      ...{ username, email: `${username}@example.com`, password: "Correct-horse-7" },
    });
    await world.admin("POST", `/teams/${world.teamId}/members`, { team_id: world.teamId, user_id: id });
    expect(await find(id, `@${username}`)).toBeNull();
  });
});
