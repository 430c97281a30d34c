import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

const NOBODY = "a".repeat(26);

describeMattermost("statuses", (world) => {
  it("an unknown and a never seen user are offline", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    expect(await alice.client.getStatus(NOBODY)).toMatchObject({
      user_id: NOBODY,
      status: "offline",
      manual: false,
    });
    const many = await alice.client.getStatusesByIds([bob.id, NOBODY]);
    expect(many.map(({ user_id }) => user_id).sort()).toEqual([bob.id, NOBODY].sort());
    expect(many.every(({ status }) => status === "offline")).toBe(true);
    expect(many.find(({ user_id }) => user_id === NOBODY)?.last_activity_at).toBe(0);
  });

  it("an empty list and malformed ids are refused", async () => {
    const alice = await world.person();
    for (const body of [[], ["short"], { a: 1 }]) {
      expect((await world.call(alice, "POST", "/users/status/ids", body)).status).toBe(400);
    }
  });

  it("a status can be set by hand", async () => {
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

  it("a custom status is stored in the user's props", async () => {
    const alice = await world.person();
    await alice.client.updateCustomStatus({ emoji: "calendar", text: "meeting", duration: "" } as never);
    const props = (await alice.client.getMe()).props as Record<string, string>;
    expect(JSON.parse(props.customStatus ?? "{}")).toMatchObject({ emoji: "calendar", text: "meeting" });
    await alice.client.unsetCustomStatus();
    const cleared = (await alice.client.getMe()).props as Record<string, string>;
    expect(JSON.parse(cleared.customStatus || '{"text":""}').text ?? "").toBe("");
  });
});
