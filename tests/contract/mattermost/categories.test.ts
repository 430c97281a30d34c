import { expect, it } from "vitest";
import { refusal } from "./support/call.ts";
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

  it("unsorted channels show at the end of channels and direct_messages", async () => {
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
    const preference = await world.call(
      alice,
      "GET",
      `/users/me/preferences/favorite_channel/name/${channel.id}`,
    );
    expect(preference.body.value).toBe("true");
    await alice.client.updateChannelCategories(alice.id, world.team.id, [
      { ...favorites, channel_ids: [] },
      { ...after.of("channels"), channel_ids: [...after.of("channels").channel_ids, channel.id] },
    ]);
    expect((await read(alice)).of("favorites").channel_ids).toEqual([]);
  });

  it("custom categories come after favourites, and channels leave with them", async () => {
    const alice = await world.person();
    const channel = await world.channel([alice]);
    const { order } = await read(alice);
    const made = await alice.client.createChannelCategory(alice.id, world.team.id, {
      user_id: alice.id,
      team_id: world.team.id,
      display_name: "Work",
      channel_ids: [channel.id],
    } as never);
    expect(made).toMatchObject({
      type: "custom",
      display_name: "Work",
      channel_ids: [channel.id],
      muted: false,
    });
    expect((await read(alice)).order).toEqual([order[0], made.id, order[1], order[2]]);
    expect((await read(alice)).of("channels").channel_ids).not.toContain(channel.id);
    expect((await alice.client.getChannelCategory(alice.id, world.team.id, made.id)).id).toBe(made.id);
    const renamed = await alice.client.updateChannelCategory(alice.id, world.team.id, {
      ...made,
      display_name: "Play",
    });
    expect(renamed.display_name).toBe("Play");
    expect(await alice.client.deleteChannelCategory(alice.id, world.team.id, made.id)).toEqual({
      status: "OK",
    });
    expect((await read(alice)).of("channels").channel_ids).toContain(channel.id);
  });

  it("channels of non-members are dropped", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const own = await world.channel([alice]);
    const foreign = await world.channel([bob]);
    await read(alice);
    const made = await alice.client.createChannelCategory(alice.id, world.team.id, {
      user_id: alice.id,
      team_id: world.team.id,
      display_name: "Mixed",
      channel_ids: [own.id, foreign.id],
    } as never);
    const stored = await alice.client.getChannelCategory(alice.id, world.team.id, made.id);
    expect(stored.channel_ids).toEqual([own.id]);
  });

  it("a new order is stored", async () => {
    const alice = await world.person();
    const { order } = await read(alice);
    const turned = [...order].reverse();
    expect(await alice.client.updateChannelCategoryOrder(alice.id, world.team.id, turned)).toEqual(turned);
    expect(await alice.client.getChannelCategoryOrder(alice.id, world.team.id)).toEqual(turned);
    expect((await read(alice)).categories.map(({ id }) => id)).toEqual(turned);
  });

  it("muting a category mutes its channels", async () => {
    const alice = await world.person();
    const channel = await world.channel([alice]);
    await read(alice);
    const made = await alice.client.createChannelCategory(alice.id, world.team.id, {
      user_id: alice.id,
      team_id: world.team.id,
      display_name: "Quiet",
      channel_ids: [channel.id],
    } as never);
    await alice.client.updateChannelCategory(alice.id, world.team.id, { ...made, muted: true });
    await expect
      .poll(async () => (await alice.client.getMyChannelMember(channel.id)).notify_props.mark_unread)
      .toBe("mention");
  });

  it("deleting built-in categories, other users' or foreign ids is refused", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const { order, of } = await read(alice);
    expect(
      await refusal(alice.client.deleteChannelCategory(alice.id, world.team.id, order[0] ?? "")),
    ).toEqual({
      status: 400,
      id: "app.channel.sidebar_categories.app_error",
    });
    const base = `/users/${alice.id}/teams/${world.team.id}/channels/categories`;
    expect((await world.call(bob, "GET", base)).status).toBe(403);
    const foreign = { ...of("favorites"), id: `favorites_${bob.id}_${world.team.id}` };
    expect((await world.call(alice, "PUT", base, [foreign])).status).toBe(400);
    expect(
      (await world.call(alice, "POST", base, { user_id: bob.id, team_id: world.team.id, display_name: "x" }))
        .status,
    ).toBe(400);
    expect((await world.call(alice, "PUT", base, "nonsense")).status).toBe(400);
  });
});
