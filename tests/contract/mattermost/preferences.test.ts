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

  it("preferences are stored, changed, listed and deleted", async () => {
    const alice = await world.person();
    expect(await alice.client.savePreferences(alice.id, [row(alice, "one"), row(alice, "two", "2")])).toEqual(
      {
        status: "OK",
      },
    );
    await alice.client.savePreferences(alice.id, [row(alice, "one", "changed")]);
    const all = await alice.client.getMyPreferences();
    expect(all).toEqual(expect.arrayContaining([row(alice, "one", "changed"), row(alice, "two", "2")]));
    const ofCategory = async () =>
      (await world.call(alice, "GET", path(alice, ""))).body.filter(
        ({ category }: { category: string }) => category === "display_settings",
      );
    expect(await ofCategory()).toHaveLength(2);
    expect(await alice.client.deletePreferences(alice.id, [row(alice, "one")])).toEqual({ status: "OK" });
    expect(await ofCategory()).toEqual([row(alice, "two", "2")]);
  });

  it("other users' preferences, overlong names and malformed bodies are refused", async () => {
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
