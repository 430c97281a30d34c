import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

describeMattermost("sidebar categories", (world) => {
  const read = async (person: Person) => {
    const { categories, order } = await person.client.getChannelCategories(person.id, world.team.id);
    const of = (type: string) => {
      const found = categories.find((one) => one.type === type);
      if (!found) throw new Error(`no category ${type}`);
      return found;
    };
    return { categories, order, of };
  };

  it("three built-in categories are created on first use, in order", async () => {
    const alice = await world.person();
    const { categories, order } = await read(alice);
    expect(categories.map(({ type }) => type)).toEqual(["favorites", "channels", "direct_messages"]);
    expect(categories.map(({ id }) => id)).toEqual(order);
    const suffix = `${alice.id}_${world.team.id}`;
    expect(order).toEqual([`favorites_${suffix}`, `channels_${suffix}`, `direct_messages_${suffix}`]);
    expect(categories[0]).toMatchObject({
      user_id: alice.id,
      team_id: world.team.id,
      muted: false,
      collapsed: false,
      channel_ids: [],
    });
  });

  it("unsorted channels are listed under channels, and direct ones under direct_messages", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice]);
    const direct = await world.direct(alice, bob);
    const { of } = await read(alice);
    expect(of("channels").channel_ids).toContain(channel.id);
    expect(of("direct_messages").channel_ids).toEqual([direct.id]);
  });

  it("moving a channel to favourites by sending both categories writes the preference", async () => {
    const alice = await world.person();
    const channel = await world.channel([alice]);
    const { of } = await read(alice);
    const channels = of("channels");
    const favorites = of("favorites");
    await alice.client.updateChannelCategories(alice.id, world.team.id, [
      { ...favorites, channel_ids: [channel.id] },
      { ...channels, channel_ids: channels.channel_ids.filter((id) => id !== channel.id) },
    ]);
    const after = await read(alice);
    expect(after.of("favorites").channel_ids).toEqual([channel.id]);
    expect(after.of("channels").channel_ids).not.toContain(channel.id);
    expect(await alice.client.getMyPreferences()).toContainEqual({
      ...{ user_id: alice.id, category: "favorite_channel" },
      ...{ name: channel.id, value: "true" },
    });
    await alice.client.updateChannelCategories(alice.id, world.team.id, [
      { ...favorites, channel_ids: [] },
      { ...after.of("channels"), channel_ids: [...after.of("channels").channel_ids, channel.id] },
    ]);
    expect((await read(alice)).of("favorites").channel_ids).toEqual([]);
  });

  it("channels that the user has not joined are dropped from a category", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const own = await world.channel([alice]);
    const foreign = await world.channel([bob]);
    const { of } = await read(alice);
    await alice.client.updateChannelCategories(alice.id, world.team.id, [
      { ...of("favorites"), channel_ids: [own.id, foreign.id] },
    ]);
    expect((await read(alice)).of("favorites").channel_ids).toEqual([own.id]);
  });

  it("muting a category mutes its channels", async () => {
    const alice = await world.person();
    const channel = await world.channel([alice]);
    const { of } = await read(alice);
    await alice.client.updateChannelCategories(alice.id, world.team.id, [
      { ...of("favorites"), channel_ids: [channel.id], muted: true },
    ]);
    await expect
      .poll(async () => (await alice.client.getMyChannelMember(channel.id)).notify_props.mark_unread)
      .toBe("mention");
  });

  it("another user's categories and their ids are refused", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const { of } = await read(alice);
    const base = `/users/${alice.id}/teams/${world.team.id}/channels/categories`;
    expect((await world.call(bob, "GET", base)).status).toBe(403);
    const foreign = { ...of("favorites"), id: `favorites_${bob.id}_${world.team.id}` };
    expect((await world.call(alice, "PUT", base, [foreign])).status).toBe(400);
    expect((await world.call(alice, "PUT", base, "nonsense")).status).toBe(400);
  });
});
