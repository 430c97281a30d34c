import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WebSocketClient } from "./support/official-client.ts";
import { describeMattermost, type Person } from "./support/world.ts";

type Message = { event: string; seq: number; data: Record<string, string> };

describeMattermost("websocket: the official client", (world) => {
  const open: InstanceType<typeof WebSocketClient>[] = [];

  beforeEach(() => {
    vi.spyOn(console, "log").mockImplementation(() => undefined);
  });
  afterEach(() => {
    for (const client of open.splice(0)) client.close();
    vi.restoreAllMocks();
  });

  function connect(person: Person) {
    const client = new WebSocketClient({ minWebSocketRetryTime: 50, reconnectJitterRange: 1 });
    const messages: Message[] = [];
    client.addMessageListener((message) => messages.push(message as unknown as Message));
    client.addMissedMessageListener(() => messages.push({ event: "missed", seq: -1, data: {} }));
    client.initialize(`${world.baseUrl.replace(/^http/, "ws")}/websocket`, person.token);
    open.push(client);
    const has = (event: string) => expect.poll(() => messages.some((one) => one.event === event));
    return { client, messages, has };
  }

  // The client passes the reply to a callback, whose type declares no parameter.
  const asked = <T>(ask: (callback: () => void) => void) =>
    new Promise<T>((resolve) => ask(resolve as unknown as () => void));

  it("connects by the challenge and receives numbered events", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    const { messages, has } = connect(bob);
    await has("hello").toBe(true);
    await world.post(alice, channel.id, "hello bob");
    await has("posted").toBe(true);
    expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index));
    const posted = messages.find(({ event }) => event === "posted");
    expect(JSON.parse(posted?.data.post ?? "{}").message).toBe("hello bob");
  });

  it("gets replies to its actions", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const channel = await world.channel([alice, bob]);
    const one = connect(alice);
    const other = connect(bob);
    await one.has("hello").toBe(true);
    await other.has("hello").toBe(true);
    expect(await asked((callback) => one.client.userTyping(channel.id, "", callback))).toMatchObject({
      status: "OK",
    });
    await other.has("typing").toBe(true);
    const statuses = await asked<{ data: object }>((callback) =>
      one.client.getStatusesByIds([bob.id], callback),
    );
    expect(statuses.data).toEqual({ [bob.id]: "online" });
    expect(await asked((callback) => one.client.userUpdateActiveStatus(true, false, callback))).toMatchObject(
      {
        status: "OK",
      },
    );
    const refused = await asked<{ status: string }>((callback) =>
      one.client.userTyping("nonsense", "", callback),
    );
    expect(refused.status).toBe("FAIL");
  });

  it("reconnects on its own and starts over, because a sign-in by challenge can't resume", async () => {
    const bob = await world.person();
    const { client, messages, has } = connect(bob);
    await has("hello").toBe(true);
    const socket = (client as unknown as { conn: { close(): void } }).conn;
    socket.close();
    await has("missed").toBe(true);
    await expect.poll(() => messages.filter(({ event }) => event === "hello").length).toBe(2);
    expect(messages.findLast(({ event }) => event === "hello")?.seq).toBe(0);
  });
});
