import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

describeMattermost("searching posts", (world) => {
  async function filled() {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    const mark = world.name("mark");
    const post = async (person: Person, text: string) =>
      (await world.post(person, channel.id, `${mark} ${text}`)).id;
    const search = async (person: Person, terms: string, more: Record<string, unknown> = {}) => {
      const { status, body } = await world.call(person, "POST", `/teams/${world.team.id}/posts/search`, {
        terms,
        is_or_search: false,
        ...more,
      });
      expect(status).toBe(200);
      return body.order as string[];
    };
    return { alice, bob, channel, mark, post, search };
  }

  it("whole words are found in the caller's channels, newest first", async () => {
    const { alice, bob, mark, post, search } = await filled();
    const first = await post(alice, "green apples");
    const second = await post(bob, "green pears");
    expect(await search(bob, mark)).toEqual([second, first]);
    expect(await search(bob, `${mark} apples`)).toEqual([first]);
    expect(await search(bob, mark.slice(0, -3))).toEqual([]);
    expect(await search(await world.person(), mark)).toEqual([]);
    const { body } = await bob.client.searchPosts(world.team.id, mark, false).then((body) => ({ body }));
    expect(Object.keys(body.posts).sort()).toEqual([first, second].sort());
    expect((body as { matches?: unknown }).matches ?? null).toBeNull();
  });

  it("phrases, exclusions, `from:`, `in:`, hashtags and stars narrow a search", async () => {
    const { alice, bob, channel, mark, post, search } = await filled();
    const red = await post(alice, "red house door");
    const blue = await post(bob, "door house blue #paint");
    expect(await search(bob, `"red house"  in:${channel.name}`)).toEqual([red]);
    expect(await search(bob, `"house red" in:${channel.name}`)).toEqual([]);
    expect(await search(bob, `${mark} -blue`)).toEqual([red]);
    expect(await search(bob, `${mark} from:${bob.username}`)).toEqual([blue]);
    expect((await search(bob, `${mark} in:${channel.name}`)).sort()).toEqual([red, blue].sort());
    expect(await search(bob, `${mark} in:town-square`)).toEqual([]);
    expect(await search(bob, `#paint from:${bob.username} in:${channel.name}`)).toEqual([blue]);
    expect((await search(bob, `${mark.slice(0, -2)}*`)).sort()).toEqual([red, blue].sort());
    expect((await search(bob, `${mark} nothingelse`, { is_or_search: true })).sort()).toEqual(
      [red, blue].sort(),
    );
  });

  it("a search finds any of several words and indexed common words, and excludes authors", async () => {
    const { alice, bob, channel, mark, post, search } = await filled();
    const [named, all] = [await post(alice, `@${bob.username}`), await post(alice, "@all hands")];
    await post(bob, "@all feet");
    const others = (terms: string) =>
      search(bob, `${terms} in:${channel.name} -from:${bob.username}`, { is_or_search: true });
    expect(await others(`${bob.username} ${mark}`)).toEqual([all, named]);
    // Databases configured for English omit such common words (version 7 even in quotes); others index them.
    for (const terms of ["@all", '"@all"']) expect([[], [all]]).toContainEqual(await others(terms));
  });

  it("date filters narrow a search", async () => {
    const { bob, mark, post, search } = await filled();
    const id = await post(bob, "today");
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    expect(await search(bob, `${mark} after:${day(-2)}`)).toEqual([id]);
    expect(await search(bob, `${mark} before:${day(-2)}`)).toEqual([]);
    expect(await search(bob, `${mark} on:${day(0)}`)).toEqual([id]);
  });

  it("all results are on the first page, without deleted posts and with the new text of edited ones", async () => {
    const { alice, bob, mark, post, search } = await filled();
    const ids: string[] = [];
    for (const text of ["one", "two", "three"]) ids.push(await post(alice, text));
    expect(await search(bob, mark)).toEqual([...ids].reverse());
    expect(await search(bob, mark, { page: 1, per_page: 2 })).toEqual([]);
    await alice.client.deletePost(ids[0] ?? "");
    await alice.client.patchPost({ id: ids[1], message: `${mark} changed` } as never);
    expect(await search(bob, `${mark} one`)).toEqual([]);
    expect(await search(bob, `${mark} two`)).toEqual([]);
    expect(await search(bob, `${mark} changed`)).toEqual([ids[1]]);
  });

  it("some servers search all teams, and all refuse empty terms and users outside the team", async () => {
    const { bob, mark, post } = await filled();
    const id = await post(bob, "anywhere");
    const everywhere = await world.call(bob, "POST", "/posts/search", { terms: mark, is_or_search: false });
    if (everywhere.status !== 404) expect(everywhere.body.order).toEqual([id]);
    const path = `/teams/${world.team.id}/posts/search`;
    expect((await world.call(bob, "POST", path, { terms: "", is_or_search: false })).status).toBe(400);
    const stranger = await world.person({ isOutsideTeam: true });
    expect((await world.call(stranger, "POST", path, { terms: mark, is_or_search: false })).status).toBe(403);
  });
});
