import { expect, it } from "vitest";
import { type Frame, type Listener, openListener } from "./support/listener.ts";
import { describeMattermost, type Person, type World } from "./support/world.ts";

const ID = /^[a-z0-9]{26}$/;

/** Opens a connection again by its id. The server resumes it only after it has seen the old socket close. */
async function reopen(
  world: World,
  person: Person,
  id: string,
  sequence: string | number,
): Promise<Listener> {
  return openListener(world.baseUrl, {
    token: person.token,
    query: `?connection_id=${id}&sequence_number=${sequence}`,
  });
}

async function dropAfter(
  world: World,
  person: Person,
  listener: Listener,
): Promise<{ id: string; next: number }> {
  // The status is set separately from the connection, and a late change would hide that the server has seen
  // the close.
  await listener.event("status_change", (frame) => frame.data.status === "online");
  await world.fence(person, listener);
  const numbers = listener.frames.flatMap(({ seq }) => seq ?? []);
  const id = listener.frames[0]?.data.connection_id;
  listener.close();
  await listener.closed;
  await isOffline(person);
  return { id, next: Math.max(...numbers) + 1 };
}

const isOffline = ({ client, id }: Person) =>
  expect.poll(async () => (await client.getStatus(id)).status).toBe("offline");

const message = (frame: Frame) =>
  frame.event === "posted" ? JSON.parse(frame.data.post).message : undefined;

describeMattermost("websocket: resuming", (world) => {
  async function setUp() {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    const first = await world.listen(bob);
    return { alice, bob, channel, first };
  }

  it("missed events are replayed with their numbers, without a hello", async () => {
    const { alice, bob, channel, first } = await setUp();
    const { id, next } = await dropAfter(world, bob, first);
    await world.post(alice, channel.id, "missed one");
    await world.post(alice, channel.id, "missed two");
    const second = await reopen(world, bob, id, next);
    await second.find((frame) => message(frame) === "missed two");
    await world.fence(bob, second);
    expect(second.events("hello")).toEqual([]);
    expect(second.frames.flatMap((frame) => message(frame) ?? [])).toEqual(["missed one", "missed two"]);
    const numbers = second.frames.flatMap(({ seq }) => seq ?? []);
    expect(numbers).toEqual(numbers.map((_, index) => next + index));
  });

  it("events are replayed from an older buffered number", async () => {
    const { alice, bob, channel, first } = await setUp();
    await world.post(alice, channel.id, "seen");
    const seen = await first.find((frame) => message(frame) === "seen");
    const { id } = await dropAfter(world, bob, first);
    const second = await reopen(world, bob, id, seen.seq ?? 0);
    const again = await second.find((frame) => message(frame) === "seen");
    expect(again.seq).toBe(seen.seq);
    expect(second.frames[0]).toEqual(again);
    second.close();
  });

  it("a connection can be resumed repeatedly", async () => {
    const { alice, bob, channel, first } = await setUp();
    const { id, next: expected } = await dropAfter(world, bob, first);
    let next = expected;
    for (const text of ["one", "two", "three"]) {
      await world.post(alice, channel.id, text);
      const again = await reopen(world, bob, id, next);
      await again.find((frame) => message(frame) === text);
      await again.event("status_change", (frame) => frame.data.status === "online");
      await world.fence(bob, again);
      next = Math.max(...again.frames.flatMap(({ seq }) => seq ?? [])) + 1;
      expect(again.events("hello")).toEqual([]);
      again.close();
      await again.closed;
      await isOffline(bob);
    }
  });

  it("a number outside the buffer starts over with another id", async () => {
    const { bob, first } = await setUp();
    const { id, next } = await dropAfter(world, bob, first);
    const second = await reopen(world, bob, id, next + 50);
    const hello = await second.event("hello");
    expect(hello.seq).toBe(0);
    expect(hello.data.connection_id).toMatch(ID);
    expect(hello.data.connection_id).not.toBe(id);
    await world.fence(bob, second);
    const numbers = second.frames.flatMap(({ seq }) => seq ?? []);
    expect(numbers).toEqual(numbers.map((_, index) => index));
    second.close();
  });

  it("resuming while the old socket is open starts over with another id", async () => {
    const { bob, first } = await setUp();
    const id = first.frames[0]?.data.connection_id;
    const second = await reopen(world, bob, id, 1);
    expect((await second.event("hello")).data.connection_id).not.toBe(id);
    second.close();
  });

  it("resuming with another user's or an unknown id starts over with another id", async () => {
    const { alice, bob, first } = await setUp();
    const { id, next } = await dropAfter(world, bob, first);
    for (const asked of [id, "q".repeat(26)]) {
      const second = await reopen(world, alice, asked, next);
      const hello = await second.event("hello");
      expect(hello.seq).toBe(0);
      expect(hello.data.connection_id).not.toBe(asked);
      second.close();
    }
  });

  it("an empty id or a challenge starts a fresh connection", async () => {
    const { bob, first } = await setUp();
    const { id, next } = await dropAfter(world, bob, first);
    const fresh = await reopen(world, bob, "", 0);
    expect((await fresh.event("hello")).seq).toBe(0);
    fresh.close();
    const challenged = await openListener(world.baseUrl, {
      query: `?connection_id=${id}&sequence_number=${next}`,
    });
    challenged.send({ seq: 1, action: "authentication_challenge", data: { token: bob.token } });
    expect((await challenged.event("hello")).data.connection_id).not.toBe(id);
    challenged.close();
  });

  it("a client with a malformed connection id, or a malformed number for a valid one, is cut", async () => {
    const { bob, first } = await setUp();
    const { id } = await dropAfter(world, bob, first);
    for (const [asked, sequence] of [
      ["short", 1],
      [`${"x".repeat(25)}!`, 1],
      [id, "abc"],
    ] as const) {
      const second = await reopen(world, bob, asked, sequence);
      expect(await second.closed).toBe(1006);
      expect(second.frames).toEqual([]);
    }
  });
});
