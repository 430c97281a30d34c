import { expect, it } from "vitest";
import { describeMattermost } from "./support/world.ts";

const NOBODY = "a".repeat(26);

describeMattermost("websocket: actions", (world) => {
  it("a ping gets a pong with the server's time", async () => {
    const listener = await world.listen(await world.person());
    const before = Date.now();
    const reply = await listener.ask("ping");
    expect(reply).toMatchObject({ status: "OK", data: { text: "pong", node_id: "" } });
    expect(reply.data.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(Math.abs(reply.data.server_time - before)).toBeLessThan(60_000);
    expect(reply.seq).toBeUndefined();
  });

  it("replies repeat the numbers of their actions, even repeated or decreasing ones", async () => {
    const listener = await world.listen(await world.person());
    for (const seq of [90, 90, 4]) listener.send({ seq, action: "ping" });
    await listener.find((frame) => frame.seq_reply === 4);
    const replies = listener.frames.flatMap(({ seq_reply }) => seq_reply ?? []);
    expect(replies).toEqual([90, 90, 4]);
  });

  it("replies are not numbered as events", async () => {
    const bob = await world.person();
    const listener = await world.listen(bob);
    await listener.event("status_change");
    await listener.ask("ping");
    await world.fence(bob, listener);
    const numbers = listener.frames.flatMap(({ seq }) => seq ?? []);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });

  it("a missing action, a missing number and an unknown action each have their error id", async () => {
    const listener = await world.listen(await world.person());
    listener.send({ seq: 5 });
    const noAction = await listener.find((frame) => frame.status === "FAIL");
    expect(noAction.seq_reply).toBe(5);
    expect(noAction.error).toMatchObject({
      id: "api.web_socket_router.no_action.app_error",
      status_code: 400,
      detailed_error: "",
    });
    expect(noAction.error).not.toHaveProperty("request_id");

    listener.clear();
    listener.send({ action: "ping" });
    const noNumber = await listener.find((frame) => frame.status === "FAIL");
    expect(noNumber.error).toMatchObject({ id: "api.web_socket_router.bad_seq.app_error", status_code: 400 });
    expect(noNumber).not.toHaveProperty("seq_reply");

    listener.clear();
    listener.send({ seq: -3, action: "ping" });
    const negative = await listener.find((frame) => frame.status === "FAIL");
    expect(negative.error?.id).toBe("api.web_socket_router.bad_seq.app_error");
    expect(negative.seq_reply).toBe(-3);

    const unknown = await listener.ask("constructor");
    expect(unknown.error).toMatchObject({
      id: "api.web_socket_router.bad_action.app_error",
      status_code: 500,
    });
  });

  it("typing reaches the other members of the channel", async () => {
    const [alice, bob, carol] = await world.people(3);
    if (!alice || !bob || !carol) throw new Error("no people");
    const channel = await world.channel([alice, bob]);
    const listeners = {
      alice: await world.listen(alice),
      bob: await world.listen(bob),
      carol: await world.listen(carol),
    };
    const root = await world.post(alice, channel.id, "root");
    const reply = await listeners.alice.ask("user_typing", { channel_id: channel.id, parent_id: root.id });
    expect(reply).toMatchObject({ status: "OK" });
    expect(reply).not.toHaveProperty("data");
    const typing = await listeners.bob.event("typing");
    expect(typing.data).toEqual({ parent_id: root.id, user_id: alice.id });
    expect(typing.broadcast).toMatchObject({ channel_id: channel.id, omit_users: { [alice.id]: true } });
    await world.fence(alice, listeners.alice);
    await world.fence(carol, listeners.carol);
    expect(listeners.alice.events("typing")).toEqual([]);
    expect(listeners.carol.events("typing")).toEqual([]);
  });

  it("typing is refused in a channel where the user may not post", async () => {
    const [alice, bob] = await world.people(2);
    if (!alice || !bob) throw new Error("no people");
    const secret = await world.channel([alice], "P");
    const listener = await world.listen(bob);
    for (const channel_id of [secret.id, NOBODY, "short", 5, undefined]) {
      const reply = await listener.ask("user_typing", { channel_id });
      expect(reply.error).toMatchObject({
        id: "api.websocket_handler.invalid_param.app_error",
        message: "Invalid channel_id parameter.",
        status_code: 400,
      });
    }
  });

  it("get_statuses returns the user's own status, and get_statuses_by_ids the requested ones", async () => {
    const [alice, bob] = await world.people(2);
    if (!alice || !bob) throw new Error("no people");
    const listener = await world.listen(alice);
    await listener.event("status_change");
    const all = await listener.ask("get_statuses");
    expect(all.data).toMatchObject({ [alice.id]: "online" });
    const some = await listener.ask("get_statuses_by_ids", { user_ids: [alice.id, bob.id, NOBODY] });
    expect(some.data).toEqual({ [alice.id]: "online", [bob.id]: "offline", [NOBODY]: "offline" });
    for (const user_ids of [[], undefined, "x"]) {
      const refused = await listener.ask("get_statuses_by_ids", { user_ids });
      expect(refused.error?.id).toBe("api.websocket_handler.invalid_param.app_error");
    }
  });

  it("user_update_active_status sets the user to away at once only if it is manual", async () => {
    const bob = await world.person();
    const listener = await world.listen(bob);
    await listener.event("status_change", (frame) => frame.data.status === "online");
    expect(
      await listener.ask("user_update_active_status", { user_is_active: false, manual: true }),
    ).toMatchObject({
      status: "OK",
    });
    await listener.event("status_change", (frame) => frame.data.status === "away");
    listener.clear();
    await listener.ask("user_update_active_status", { user_is_active: true, manual: true });
    await listener.event("status_change", (frame) => frame.data.status === "online");
    await listener.ask("user_update_active_status", { user_is_active: false });
    expect((await bob.client.getStatus(bob.id)).status).toBe("online");
    const refused = await listener.ask("user_update_active_status", {});
    expect(refused.error?.id).toBe("api.websocket_handler.invalid_param.app_error");
  });

  it("presence and posted_notify_ack are known actions on new servers only", async () => {
    const listener = await world.listen(await world.person());
    for (const action of ["presence", "posted_notify_ack"]) {
      const reply = await listener.ask(action, { channel_id: NOBODY, post_id: NOBODY, status: "success" });
      if (world.answers.knowsPresence) expect(reply.status).toBe("OK");
      else expect(reply.error?.id).toBe("api.web_socket_router.bad_action.app_error");
    }
  });
});
