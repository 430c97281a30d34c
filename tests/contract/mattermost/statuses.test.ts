import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

const NOBODY = "a".repeat(26);

describeMattermost("statuses", (world) => {
  it("an unknown user and one who was never online are offline", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    expect(await alice.client.getStatus(NOBODY)).toMatchObject({
      user_id: NOBODY,
      status: "offline",
      manual: false,
    });
    expect(await alice.client.getStatus(bob.id)).toMatchObject({ user_id: bob.id, status: "offline" });
  });

  it("a user sets a status by hand", async () => {
    const alice = await world.person();
    for (const status of ["away", "dnd", "offline"]) {
      const answer = await alice.client.updateStatus({ user_id: alice.id, status });
      expect(answer).toMatchObject({ user_id: alice.id, status, manual: true });
      expect((await alice.client.getStatus(alice.id)).status).toBe(status);
    }
    expect((await alice.client.updateStatus({ user_id: alice.id, status: "online" })).status).toBe("online");
  });

  it("an unknown status, another id in the body and another user's status are refused", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const put = (path: string, body: unknown) => world.call(alice, "PUT", path, body);
    expect((await put(`/users/${alice.id}/status`, { user_id: alice.id, status: "asleep" })).status).toBe(
      400,
    );
    expect((await put(`/users/${alice.id}/status`, { user_id: bob.id, status: "away" })).status).toBe(400);
    expect((await put(`/users/${bob.id}/status`, { user_id: bob.id, status: "away" })).status).toBe(403);
  });
});
