import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

describeMattermost("preferences", (world) => {
  const row = (person: Person, name: string, value = "x", category = "display_settings") => ({
    user_id: person.id,
    category,
    name,
    value,
  });
  const path = (person: Person, rest = "") => `/users/${person.id}/preferences${rest}`;

  it("rows are stored, changed, listed and deleted", async () => {
    const alice = await world.person();
    expect(await alice.client.savePreferences(alice.id, [row(alice, "one"), row(alice, "two", "2")])).toEqual(
      {
        status: "OK",
      },
    );
    await alice.client.savePreferences(alice.id, [row(alice, "one", "changed")]);
    const all = await alice.client.getMyPreferences();
    expect(all).toEqual(expect.arrayContaining([row(alice, "one", "changed"), row(alice, "two", "2")]));
    const ofCategory = (await world.call(alice, "GET", path(alice, "/display_settings"))).body;
    expect(ofCategory).toHaveLength(2);
    expect((await world.call(alice, "GET", path(alice, "/display_settings/name/one"))).body).toEqual(
      row(alice, "one", "changed"),
    );
    expect(await alice.client.deletePreferences(alice.id, [row(alice, "one")])).toEqual({ status: "OK" });
    expect((await world.call(alice, "GET", path(alice, "/display_settings"))).body).toEqual([
      row(alice, "two", "2"),
    ]);
  });

  it("a category without rows returns 404, and a name without one 400", async () => {
    const alice = await world.person();
    const category = await world.call(alice, "GET", path(alice, "/nothing_here"));
    expect([category.status, category.body.id]).toEqual([
      404,
      "api.preference.preferences_category.get.app_error",
    ]);
    const name = await world.call(alice, "GET", path(alice, "/nothing_here/name/nothing"));
    expect([name.status, name.body.id]).toEqual([400, "app.preference.get.app_error"]);
    expect((await world.call(alice, "GET", path(alice, "/not-a-category"))).body.id).toBe(
      "api.context.404.app_error",
    );
  });

  it("other people's rows, long names and other shapes are refused", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const put = async (body: unknown, who = alice) => {
      const answer = await world.call(alice, "PUT", path(who), body);
      return [answer.status, answer.body.id];
    };
    expect(await put([row(bob, "one")])).toEqual([403, "api.preference.update_preferences.set.app_error"]);
    expect((await put([row(bob, "one")], bob))[0]).toBe(403);
    expect(await put([row(alice, "x".repeat(33))])).toEqual([
      400,
      "model.preference.is_valid.name.app_error",
    ]);
    expect((await put([row(alice, "one", "x".repeat(20_001))]))[0]).toBe(400);
    expect((await put("nonsense"))[0]).toBe(400);
    expect((await world.call(bob, "GET", path(alice))).status).toBe(403);
    expect((await world.call(world.admin, "GET", path(alice))).status).toBe(200);
  });

  it("new servers accept at most a hundred preferences at once", async () => {
    const alice = await world.person();
    const rows = (count: number) => Array.from({ length: count }, (_, index) => row(alice, `n${index}`));
    const put = async (count: number) => (await world.call(alice, "PUT", path(alice), rows(count))).status;
    expect(await put(100)).toBe(200);
    expect(await put(101)).toBe(world.answers.tooManyPreferences);
  });

  it("a favourite is stored as a preference and removed", async () => {
    const alice = await world.person();
    const channel = await world.channel([alice]);
    const favorites = async () => {
      const { categories } = await alice.client.getChannelCategories("me", world.team.id);
      return categories.find(({ type }) => type === "favorites")?.channel_ids;
    };
    await favorites();
    await alice.client.savePreferences(alice.id, [row(alice, channel.id, "true", "favorite_channel")]);
    expect(await favorites()).toEqual([channel.id]);
    await alice.client.savePreferences(alice.id, [row(alice, channel.id, "false", "favorite_channel")]);
    expect(await favorites()).toEqual([]);
  });
});
