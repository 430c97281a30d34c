import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { flavoursToTry } from "../../harness/contract-mattermost.ts";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";

describe.each(flavoursToTry())("GET /channels/{channel_id}/members with a Mattermost like %s", (flavour) => {
  let world: ChatWorld;
  let alice: Person;
  let bob: Person;
  let carol: Person;

  beforeAll(async () => {
    world = await startChatWorld({ flavour });
    alice = await world.login("alice");
    bob = await world.login("bob");
    carol = await world.login("carol");
  });
  afterAll(() => world.close());

  const members = async (channelId: string, query = "", who = alice): Promise<AnyBody> => {
    const { status, body } = await who.api("GET", `/channels/${channelId}/members${query}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const names = ({ members: listed }: AnyBody) => listed.map(({ user }: AnyBody) => user.username);

  it("lists members by name with their roles, and admins first if Mattermost supports it", async () => {
    const room = await world.makeChannel([alice, bob, carol]);
    await world.admin("PUT", `/channels/${room}/members/${carol.id}/schemeRoles`, {
      scheme_admin: true,
      scheme_user: true,
    });
    const { members: listed, hasMore } = await members(room);
    const people = listed.filter(({ user }: AnyBody) => ["alice", "bob", "carol"].includes(user.username));
    const manager = ["carol", ["channel_admin"]];
    const others = [
      ["alice", []],
      ["bob", []],
    ];
    expect(people.map(({ user, roles }: AnyBody) => [user.username, roles])).toEqual(
      world.answers.sortsManagersFirst ? [manager, ...others] : [...others, manager],
    );
    // The channel's creator is a member.
    const owner = listed.find(({ user }: AnyBody) => !["alice", "bob", "carol"].includes(user.username));
    expect(owner.roles).toEqual(expect.arrayContaining(["channel_admin", "system_admin"]));
    expect(hasMore).toBe(false);
    expect(Object.keys(listed[0]).sort()).toEqual(["roles", "user"]);
    expect(JSON.stringify(listed)).not.toMatch(/email|notify_props|last_viewed/);
  });

  it("pages through the members", async () => {
    const room = await world.makeChannel([alice, bob, carol]);
    const pages = [];
    for (const page of [0, 1, 2]) pages.push(await members(room, `?per_page=2&page=${page}`));
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
    expect(pages.flatMap(names)).toEqual(names(await members(room)));
  });

  it("finds only members, by the start of a name", async () => {
    const room = await world.makeChannel([alice, bob]);
    expect(names(await members(room, "?q=BO"))).toEqual(["bob"]);
    expect(names(await members(room, "?q=@ali"))).toEqual(["alice"]);
    expect(names(await members(room, "?q=carol"))).toEqual([]);
  });

  it("leaves deactivated users out", async () => {
    const leaver = await world.newcomer();
    const room = await world.makeChannel([alice, leaver]);
    await world.admin("DELETE", `/users/${leaver.id}`);
    expect(names(await members(room))).not.toContain(leaver.name);
  });

  it("returns 403 for non-members, 404 for an unknown channel and 400 for a page out of range", async () => {
    const room = await world.makeChannel([alice]);
    expect((await bob.api("GET", `/channels/${room}/members`)).status).toBe(403);
    const nowhere = await alice.api("GET", `/channels/${"z".repeat(26)}/members`);
    expect(nowhere.status).toBe(404);
    expect((await alice.api("GET", `/channels/${room}/members?per_page=101`)).status).toBe(400);
  });

  it("takes at most four Mattermost calls, and one more if Mattermost can't list admins first", async () => {
    const room = await world.makeChannel([alice, bob]);
    world.proxy.forget();
    await members(room);
    expect(world.proxy.calls().length).toBeLessThanOrEqual(world.answers.sortsManagersFirst ? 4 : 5);
  });
});
