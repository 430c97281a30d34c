import { expect, it } from "vitest";
import { carries } from "./support/listener.ts";
import { describeMattermost, type Person } from "./support/world.ts";

const SESSION_ENDED = [
  "api.web_socket_router.not_authenticated.app_error",
  "api.context.invalid_token.error",
];

describeMattermost("websocket: delivery", (world) => {
  it("a channel's events reach only its members, including the author", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const channel = await world.channel([alice, bob]);
    const ears = {
      alice: await world.listen(alice),
      bob: await world.listen(bob),
      carol: await world.listen(carol),
    };
    const { id } = await world.post(alice, channel.id, "for two");
    for (const ear of [ears.alice, ears.bob]) {
      const posted = await ear.find(carries({ id }));
      expect(posted.broadcast).toMatchObject({ channel_id: channel.id, user_id: "", team_id: "" });
    }
    await world.fence(carol, ears.carol);
    expect(ears.carol.events("posted")).toEqual([]);
  });

  it("events reach both sockets of a user", async () => {
    const bob = await world.person();
    const channel = await world.channel([bob]);
    const sockets = [await world.listen(bob), await world.listen(bob)];
    const { id } = await world.post(bob, channel.id, "twice");
    for (const socket of sockets)
      expect((await socket.find(carries({ id }))).data.channel_name).toBe(channel.name);
  });

  it("events reach a user only between joining and leaving", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice]);
    const [ear, other] = [await world.listen(bob), await world.listen(alice)];
    await world.post(alice, channel.id, "before");
    // An event's recipients are determined when it is sent, not when it is caused.
    await other.find(carries({ message: "before" }));
    await world.fence(bob, ear);
    await bob.client.addToChannel(bob.id, channel.id);
    await ear.event("user_added");
    await world.post(alice, channel.id, "during");
    await ear.find(carries({ message: "during" }));
    await bob.client.removeFromChannel(bob.id, channel.id);
    await ear.event("user_removed");
    await world.post(alice, channel.id, "after");
    await world.fence(bob, ear);
    const messages = ear.events("posted").map((frame) => JSON.parse(frame.data.post));
    expect(messages.filter((post) => post.type === "").map((post) => post.message)).toEqual(["during"]);
  });

  it("a deactivated user gets no more events, and their actions are refused", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    await world.admin.client.updateUserActive(bob.id, false);
    // The members may still receive earlier events. The refused action shows that the server has noticed the deactivation.
    const refused = await ears.bob.ask("ping");
    expect(refused.status).toBe("FAIL");
    expect(SESSION_ENDED).toContain(refused.error?.id);
    ears.bob.clear();
    const { id } = await world.post(alice, channel.id, "without bob");
    await ears.alice.find(carries({ id }));
    await world.fence(alice, ears.alice);
    expect(ears.bob.frames.filter(carries({ id }))).toEqual([]);
    await world.admin.client.updateUserActive(bob.id, true);
  });

  it.each(["revoked", "logged out"])(
    "actions on the open socket of a %s session are refused",
    async (how) => {
      const bob = await world.person();
      let token = bob.token;
      if (how === "logged out") {
        const login = await world.call(null, "POST", "/users/login", {
          login_id: bob.username,
          password: bob.password,
        });
        token = login.headers.get("token") ?? "";
      }
      const ear = await world.listen({ ...bob, token });
      if (how === "revoked") {
        const [row] = (await world.call(world.admin, "GET", `/users/${bob.id}/tokens`)).body;
        await world.admin.client.revokeUserAccessToken(row.id);
      } else await world.call({ ...bob, token }, "POST", "/users/logout");
      const refused = await ear.ask("ping");
      expect(refused.status).toBe("FAIL");
      expect(SESSION_ENDED).toContain(refused.error?.id);
      expect(refused.error?.status_code).toBe(401);
    },
  );

  it("new servers stop events when the session ends", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    const [row] = (await world.call(world.admin, "GET", `/users/${bob.id}/tokens`)).body;
    await world.admin.client.revokeUserAccessToken(row.id);
    expect((await ears.bob.ask("ping")).status).toBe("FAIL");
    const { id } = await world.post(alice, channel.id, "secret?");
    await ears.alice.find(carries({ id }));
    if (world.answers.endsWithSession) expect(ears.bob.frames.filter(carries({ id }))).toEqual([]);
    else await ears.bob.find(carries({ id }));
  });

  it("statuses reach only their own user", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    await world.channel([alice, bob]);
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    await alice.client.updateStatus({ user_id: alice.id, status: "dnd" });
    await ears.alice.event("status_change", (frame) => frame.data.status === "dnd");
    await world.fence(bob, ears.bob);
    expect(ears.bob.events("status_change").every((frame) => frame.data.user_id === bob.id)).toBe(true);
  });

  it("the deletion of a post names the deleter to admins", async () => {
    const alice = await world.person();
    const channel = await world.channel([alice, world.admin]);
    const ears = { alice: await world.listen(alice), admin: await world.listen(world.admin) };
    const { id } = await world.post(alice, channel.id, "to go");
    await alice.client.deletePost(id);
    const own = await ears.alice.event("post_deleted");
    expect(JSON.parse(own.data.post)).toMatchObject({ id, message: "to go", delete_at: 0 });
    expect(own.data).not.toHaveProperty("delete_by");
    const admins = await ears.admin.event("post_deleted", (frame) => JSON.parse(frame.data.post).id === id);
    expect(admins.data.delete_by).toBe(alice.id);
    await world.fence(world.admin, ears.admin);
    const copies = ears.admin.events("post_deleted").filter((frame) => JSON.parse(frame.data.post).id === id);
    expect(copies).toHaveLength(1);
  });

  it("a changed profile reaches the user in full, and others without private fields", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    await alice.client.patchUser({ id: alice.id, nickname: "Ally" } as never);
    const own = await ears.alice.event("user_updated", (frame) => frame.data.user.id === alice.id);
    expect(own.data.user).toMatchObject({ nickname: "Ally", email: alice.email });
    expect(own.data.user).toHaveProperty("notify_props");
    const others = await ears.bob.event("user_updated", (frame) => frame.data.user.id === alice.id);
    expect(others.data.user.nickname).toBe("Ally");
    expect(others.data.user).not.toHaveProperty("notify_props");
    expect(others.broadcast?.omit_users).toEqual({ [alice.id]: true });
  });

  it("new servers report only a user's own mention, and old ones report all", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const channel = await world.channel([alice, bob, carol]);
    const ears = { bob: await world.listen(bob), alice: await world.listen(alice) };
    const { id } = await world.post(alice, channel.id, `@${bob.username} and @${carol.username}`);
    const toBob = await ears.bob.find(carries({ id }));
    const toAlice = await ears.alice.find(carries({ id }));
    if (world.answers.tellsMentionsToMentioned) {
      expect(JSON.parse(toBob.data.mentions)).toEqual([bob.id]);
      expect(toAlice.data).not.toHaveProperty("mentions");
    } else {
      expect(JSON.parse(toBob.data.mentions).sort()).toEqual([bob.id, carol.id].sort());
      expect(toAlice.data.mentions).toBeDefined();
    }
  });

  it("new servers omit typing in channels that the client is not viewing", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    const ears = { alice: await world.listen(alice), bob: await world.listen(bob) };
    const elsewhere = "e".repeat(26);
    await ears.bob.ask("presence", { channel_id: elsewhere });
    await ears.alice.ask("user_typing", { channel_id: channel.id });
    await ears.bob.event("typing");
    ears.bob.clear();
    await ears.bob.ask("presence", { thread_channel_id: elsewhere, is_thread_view: true });
    await ears.bob.ask("presence", { thread_channel_id: elsewhere, is_thread_view: false });
    await ears.alice.ask("user_typing", { channel_id: channel.id });
    if (!world.answers.scopesEvents) {
      await ears.bob.event("typing");
      return;
    }
    await world.fence(bob, ears.bob);
    expect(ears.bob.events("typing")).toEqual([]);
    await ears.bob.ask("presence", { channel_id: channel.id });
    await ears.alice.ask("user_typing", { channel_id: channel.id });
    await ears.bob.event("typing");
  });

  it("new servers ask for an acknowledgement only if the client offered it", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const direct = await world.direct(alice, bob);
    const ear = await world.listen(bob, { query: "?posted_ack=true" });
    const plain = await world.listen(bob);
    await world.post(alice, direct.id, "please confirm");
    expect((await ear.event("posted")).data.should_ack).toBe(world.answers.asksForAck ? true : undefined);
    expect((await plain.event("posted")).data).not.toHaveProperty("should_ack");
  });

  it("a user is online with a socket and offline once the last one has closed", async () => {
    const bob = await world.person();
    const [one, two] = [await world.listen(bob), await world.listen(bob)];
    await expect.poll(async () => (await bob.client.getStatus(bob.id)).status).toBe("online");
    one.close();
    await one.closed;
    expect((await two.ask("ping")).status).toBe("OK");
    expect((await bob.client.getStatus(bob.id)).status).toBe("online");
    two.close();
    await expect.poll(async () => (await bob.client.getStatus(bob.id)).status).toBe("offline");
  });
});
