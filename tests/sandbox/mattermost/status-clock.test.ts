import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMattermost } from "../../../sandbox/mattermost/context.ts";
import { openDatabase } from "../../../sandbox/mattermost/database.ts";
import { createEventBus } from "../../../sandbox/mattermost/event-bus.ts";
import { createClock } from "../../../sandbox/mattermost/id.ts";
import { createMattermostForHub } from "../../../sandbox/mattermost/start.ts";
import { type Account, startTestMattermost, type TestMattermost } from "../../harness/start-mattermost.ts";

describe("the sandbox's Mattermost", () => {
  let time = 1_800_000_000_000;
  let server: TestMattermost;
  let alice: Account;
  let bob: Account;
  let channelId: string;
  beforeEach(async () => {
    server = await startTestMattermost({ now: () => time });
    alice = await server.account("alice");
    bob = await server.account("bob");
    channelId = (await server.channel("clock", [alice, bob])).id;
  });
  afterEach(() => server.close());

  const send = (person: Account, pending_post_id: string, message = "once") =>
    person.api("POST", "/posts", { channel_id: channelId, message, pending_post_id });

  it("returns the first post for a repeated pending_post_id for 30 s, even with another text", async () => {
    const pending = `${alice.id}:1`;
    const first = (await send(alice, pending)).body;
    const total = async () => (await alice.api("GET", `/channels/${channelId}`)).body.total_msg_count;
    const before = await total();
    time += 29_000;
    const again = await send(alice, pending, "twice");
    expect(again.status).toBe(201);
    expect(again.body).toMatchObject({ id: first.id, message: "once", pending_post_id: "" });
    expect(again.body).not.toHaveProperty("metadata");
    expect(await total()).toBe(before);
    time += 2_000;
    expect((await send(alice, pending)).body.id).not.toBe(first.id);
    expect(await total()).toBe(before + 1);
  });

  it("does not return another user's hidden post for a repeated pending_post_id", async () => {
    const secret = await server.channel("secret", [alice], "P");
    const body = { channel_id: secret.id, message: "hidden", pending_post_id: `${alice.id}:2` };
    const hidden = (await alice.api("POST", "/posts", body)).body;
    const own = await send(bob, `${alice.id}:2`, "mine");
    expect(own.body.id).not.toBe(hidden.id);
    expect(own.body.message).toBe("mine");
  });

  it("ends a login's session after its 30 days", async () => {
    const login = await fetch(`${server.url}/users/login`, {
      method: "POST",
      body: JSON.stringify({ login_id: "alice", password: "long enough" }),
    });
    const token = login.headers.get("token") ?? "";
    const me = () => fetch(`${server.url}/users/me`, { headers: { authorization: `Bearer ${token}` } });
    expect((await me()).status).toBe(200);
    time += 31 * 24 * 60 * 60 * 1000;
    expect((await me()).status).toBe(401);
  });

  it("sets a user to away after 5 idle minutes, unless they chose their status manually", async () => {
    const db = openDatabase(server.dataDir);
    const events = createEventBus();
    const heard: string[] = [];
    events.subscribe(({ event, data }) => heard.push(`${event} ${data.status}`));
    const settings = {
      flavour: "v11",
      maxUsers: 10,
      enableUserAccessTokens: true,
      enableOpenServer: false,
      maxUsersPerTeam: 10,
      showEmailAddress: true,
      siteUrl: "",
    } as const;
    const clock = createClock(() => time, 0);
    const hub = createMattermostForHub(
      createMattermost({ db, clock, settings, deliver: events.publish }),
      events,
    );
    hub.socketOpened(bob.id);
    hub.setActive(bob.id, false, false);
    expect(hub.status(bob.id).status).toBe("online");
    time += 301_000;
    hub.setActive(bob.id, false, false);
    expect(hub.status(bob.id).status).toBe("away");
    hub.setActive(bob.id, true, false);
    hub.lastSocketClosed(bob.id);
    await expect
      .poll(() => heard)
      .toEqual(["online", "away", "online", "offline"].map((status) => `status_change ${status}`));
    await bob.api("PUT", "/users/me/status", { user_id: bob.id, status: "dnd" });
    hub.socketOpened(bob.id);
    expect(hub.status(bob.id)).toMatchObject({ status: "dnd", manual: true });
    expect(heard).toHaveLength(4);
    db.close();
  });
});
