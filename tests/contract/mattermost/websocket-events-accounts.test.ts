import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

describeMattermost("websocket: events of accounts", (world) => {
  const pair = async () => (await world.people(2)) as [Person, Person];

  it("joining a team sends added_to_team to the user and user_added to members; leaving sends leave_team to both", async () => {
    const [alice] = await pair();
    const newcomer = await world.person({ isOutsideTeam: true });
    const ears = { alice: await world.listen(alice), newcomer: await world.listen(newcomer) };
    await world.admin.client.addToTeam(world.team.id, newcomer.id);
    const added = await ears.newcomer.event("added_to_team");
    expect(added.data).toEqual({ team_id: world.team.id, user_id: newcomer.id });
    expect(added.broadcast?.user_id).toBe(newcomer.id);
    await ears.alice.event("user_added", (frame) => frame.data.user_id === newcomer.id);
    await newcomer.client.removeFromTeam(world.team.id, newcomer.id);
    const left = await ears.alice.event("leave_team");
    expect(left.data).toEqual({ team_id: world.team.id, user_id: newcomer.id });
    await ears.newcomer.event("leave_team");
  });

  it("role changes in a team send memberrole_updated", async () => {
    const alice = await world.person();
    const ear = await world.listen(alice);
    await world.admin.client.updateTeamMemberSchemeRoles(world.team.id, alice.id, true, true);
    const role = await ear.event("memberrole_updated");
    expect(JSON.parse(role.data.member)).toMatchObject({ user_id: alice.id, scheme_admin: true });
  });

  it("other users get new_user, and user_activation_status_change on deactivation", async () => {
    const alice = await world.person();
    const ear = await world.listen(alice);
    const newcomer = await world.person();
    await ear.event("new_user", (frame) => frame.data.user_id === newcomer.id);
    await world.admin.client.updateUserActive(newcomer.id, false);
    expect((await ear.event("user_activation_status_change")).data).toEqual({});
    await ear.event(
      "user_updated",
      (frame) => frame.data.user.id === newcomer.id && frame.data.user.delete_at > 0,
    );
  });

  it("an empty sidebar_category_updated precedes preferences_changed and preferences_deleted", async () => {
    const alice = await world.person();
    const ear = await world.listen(alice);
    const preference = {
      user_id: alice.id,
      category: "display_settings",
      name: "name_format",
      value: "username",
    };
    await alice.client.savePreferences(alice.id, [preference]);
    const changed = await ear.event("preferences_changed");
    expect(JSON.parse(changed.data.preferences)).toEqual([preference]);
    await alice.client.deletePreferences(alice.id, [preference]);
    const deleted = await ear.event("preferences_deleted");
    expect(JSON.parse(deleted.data.preferences)).toEqual([preference]);
    const relevant = ["sidebar_category_updated", "preferences_changed", "preferences_deleted"];
    expect(ear.frames.flatMap(({ event = "" }) => (relevant.includes(event) ? event : []))).toEqual([
      "sidebar_category_updated",
      "preferences_changed",
      "sidebar_category_updated",
      "preferences_deleted",
    ]);
    expect(ear.events("sidebar_category_updated")[0]?.data).toEqual({});
  });

  it("a new picture sends other users user_updated with a new last_picture_update", async () => {
    const [alice, bob] = await pair();
    const ear = await world.listen(bob);
    const before = (await bob.client.getUser(alice.id)).last_picture_update ?? 0;
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    await alice.client.uploadProfileImage(alice.id, new File([png], "a.png", { type: "image/png" }));
    const updated = await ear.event("user_updated", (frame) => frame.data.user.id === alice.id);
    expect(updated.data.user.last_picture_update).toBeGreaterThan(before);
  });

  it("changed categories send sidebar_category_updated", async () => {
    const alice = await world.person();
    const ear = await world.listen(alice);
    const { categories } = await alice.client.getChannelCategories(alice.id, world.team.id);
    const favorites = categories.filter(({ type }) => type === "favorites");
    await alice.client.updateChannelCategories(
      alice.id,
      world.team.id,
      favorites.map((one) => ({ ...one, collapsed: true })),
    );
    const { data, broadcast } = await ear.event("sidebar_category_updated");
    expect(JSON.parse(data.updatedCategories)[0]).toMatchObject({ type: "favorites", collapsed: true });
    expect(broadcast).toMatchObject({ user_id: alice.id, team_id: world.team.id });
  });
});
