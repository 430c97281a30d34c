import { expect, it } from "vitest";
import { refusal } from "./support/call.ts";
import { describeMattermost, type Person } from "./support/world.ts";

const NOBODY = "a".repeat(26);

describeMattermost("users", (world) => {
  const fresh = () => {
    const username = world.name("u");
    return { username, email: `${username}@example.com`, password: `Aa1!${world.name()}` };
  };
  const create = (body: unknown) => world.call(world.admin, "POST", "/users", body);

  it("creating a user returns 201 with the user's private fields", async () => {
    const wanted = { ...fresh(), nickname: "Nick", first_name: "First", last_name: "Last" };
    const { status, body } = await create(wanted);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      username: wanted.username,
      email: wanted.email,
      nickname: "Nick",
      first_name: "First",
      last_name: "Last",
      roles: "system_user",
      delete_at: 0,
      locale: "en",
      notify_props: {
        channel: "true",
        desktop: "mention",
        mention_keys: "",
        push_status: world.answers.pushStatus,
      },
    });
    expect(body.id).toMatch(/^[a-z0-9]{26}$/);
    expect(body).not.toHaveProperty("password");
    expect(body.create_at).toBeGreaterThan(0);
  });

  it("usernames are lower-cased", async () => {
    const wanted = fresh();
    const { body } = await create({ ...wanted, username: wanted.username.toUpperCase() });
    expect(body.username).toBe(wanted.username);
  });

  it("taken, malformed and reserved names and addresses are refused, and so are short passwords and malformed bodies", async () => {
    const bob = await world.person();
    const cases: [object, string][] = [
      [{ username: bob.username }, "app.user.save.username_exists.app_error"],
      [{ email: bob.email }, "app.user.save.email_exists.app_error"],
      [{ username: "no spaces" }, "model.user.is_valid.username.app_error"],
      [{ username: "channel" }, "model.user.is_valid.username.app_error"],
      [{ username: "x".repeat(65) }, "model.user.is_valid.username.app_error"],
      [{ email: "nonsense" }, "model.user.is_valid.email.app_error"],
    ];
    for (const [change, id] of cases) {
      const { status, body } = await create({ ...fresh(), ...change });
      expect([status, body.id]).toEqual([400, id]);
    }
    const short = await create({ ...fresh(), password: "x" });
    expect(short.status).toBe(400);
    expect(short.body.id).toMatch(/^(api\.user\.check_user_password|model\.user\.is_valid\.pwd)/);
    const plain = await create({ ...fresh(), password: "a1".repeat(20) });
    const [status, id] = world.answers.plainPassword;
    expect(plain).toMatchObject({ status, body: id ? { id } : { delete_at: 0 } });
    expect((await create("[]")).body.id).toBe("api.context.invalid_body_param.app_error");
  });

  it("lookups by id, username and e-mail address find a user or return 404", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    expect((await alice.client.getUser(bob.id)).username).toBe(bob.username);
    expect((await alice.client.getUserByUsername(bob.username)).id).toBe(bob.id);
    expect((await world.admin.client.getUserByEmail(bob.email)).id).toBe(bob.id);
    expect(await refusal(alice.client.getUser(NOBODY))).toEqual({
      status: 404,
      id: "app.user.missing_account.const",
    });
    expect(await refusal(alice.client.getUserByUsername(world.name("nobody")))).toEqual({
      status: 404,
      id: "app.user.get_by_username.app_error",
    });
    expect(await refusal(world.admin.client.getUserByEmail(`${world.name()}@example.com`))).toMatchObject({
      status: 404,
    });
  });

  it("private fields are visible only to the user", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const own = (await world.call(bob, "GET", "/users/me")).body;
    expect(own).toHaveProperty("notify_props");
    const other = (await world.call(alice, "GET", `/users/${bob.id}`)).body;
    for (const key of ["notify_props", "last_password_update", "email_verified", "password"]) {
      expect(other).not.toHaveProperty(key);
    }
  });

  it("lists by ids and usernames omit unknown users, and an empty list is refused", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const byIds = await alice.client.getProfilesByIds([bob.id, NOBODY, alice.id]);
    expect(byIds.map(({ id }) => id).sort()).toEqual([alice.id, bob.id].sort());
    const byNames = await alice.client.getProfilesByUsernames([bob.username, world.name("nobody")]);
    expect(byNames.map(({ id }) => id)).toEqual([bob.id]);
    for (const path of ["/users/ids", "/users/usernames"]) {
      expect((await world.call(alice, "POST", path, [])).status).toBe(400);
      expect((await world.call(alice, "POST", path, { a: 1 })).status).toBe(400);
    }
    const since = await world.call(alice, "POST", `/users/ids?since=${Date.now() + 60_000}`, [bob.id]);
    expect(since.body).toEqual([]);
  });

  it("users are listed by channel, outside a channel, and by team in order of username", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const channel = await world.channel([alice, bob]);
    const list = async (query: string) => {
      const { body } = await world.call(alice, "GET", `/users?${query}&per_page=200`);
      return body.map(({ id }: { id: string }) => id);
    };
    expect((await list(`in_channel=${channel.id}`)).sort()).toEqual([alice.id, bob.id].sort());
    const outside = await list(`not_in_channel=${channel.id}&in_team=${world.team.id}`);
    expect(outside).toContain(carol.id);
    expect(outside).not.toContain(bob.id);
    const { body } = await world.call(alice, "GET", `/users?in_team=${world.team.id}&per_page=200`);
    const names = body.map(({ username }: { username: string }) => username);
    expect(names).toEqual([...names].sort());
    expect(names).toEqual(expect.arrayContaining([alice.username, bob.username, carol.username]));
    const secret = await world.channel([alice], "P");
    expect((await world.call(carol, "GET", `/users?in_channel=${secret.id}`)).status).toBe(403);
  });

  it("autocompletion finds a team's users, and lists a channel's members apart from others", async () => {
    const [alice, bob, carol] = (await world.people(3)) as [Person, Person, Person];
    const channel = await world.channel([alice, bob]);
    const inTeam = await alice.client.autocompleteUsers(carol.username.slice(0, 10), world.team.id, "");
    expect(inTeam.users.map(({ id }) => id)).toContain(carol.id);
    const inChannel = await world.call(
      alice,
      "GET",
      `/users/autocomplete?in_team=${world.team.id}&in_channel=${channel.id}&name=u&limit=100`,
    );
    expect(inChannel.body.users.map(({ id }: { id: string }) => id).sort()).toEqual(
      [alice.id, bob.id].sort(),
    );
    expect(inChannel.body.out_of_channel.map(({ id }: { id: string }) => id)).toContain(carol.id);
    const alone = await world.call(alice, "GET", `/users/autocomplete?in_channel=${channel.id}&name=u`);
    expect(alone.status).toBe(500);
  });
});
