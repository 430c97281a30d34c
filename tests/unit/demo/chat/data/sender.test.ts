import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OutgoingPost, Post } from "#app/(demo)/_chat/data/model.ts";
import { createOutbox, type Outbox } from "#app/(demo)/_chat/data/outbox.ts";
import { createSender, type SenderDependencies } from "#app/(demo)/_chat/data/sender.ts";
import { ChatError } from "#lib/chat-client/index.ts";
import { memoryStorage } from "#tests/harness/memory-storage.ts";
import { samplePost } from "#tests/harness/sample-post.ts";

const answered = (status: number) =>
  new ChatError({ status, code: status === 0 ? "offline" : "internal", message: `Reason ${status}.` });
const lost = () => answered(0);

/**
 * Creates a channel on a server that forgets pending ids, and a connection to it that can fail before or
 * after the post is accepted.
 */
function createWorld() {
  const posts: Post[] = [{ ...samplePost("old"), userId: "other", createAt: 10 }];
  const world = {
    posts,
    asked: [] as string[],
    isOnline: true,
    isConnected: true,
    /** The results of the next requests, in order. */
    trouble: [] as Array<{ error: Error; isTaken: boolean }>,
    outbox: createOutbox("me"),
    take({ channelId, rootId, message }: OutgoingPost): Post {
      const createAt = 10 * (posts.length + 1);
      const post = { ...samplePost(`p${posts.length}`), channelId, rootId, message };
      posts.push({ ...post, userId: "me", createAt });
      return posts.at(-1) as Post;
    },
    texts: () => posts.slice(1).map(({ message }) => message),
  };
  const dependencies: SenderDependencies = {
    myId: "me",
    async post(outgoing) {
      world.asked.push(`post ${outgoing.message}`);
      const trouble = world.trouble.shift();
      if (trouble && !trouble.isTaken) throw trouble.error;
      const post = world.take(outgoing);
      if (trouble) throw trouble.error;
      return post;
    },
    async read(_channelId, before) {
      world.asked.push("read");
      const end = before ? posts.findIndex(({ id }) => id === before) : posts.length;
      const start = Math.max(0, end - 3);
      return { posts: posts.slice(start, end), hasMore: start > 0 };
    },
    newestKnown: () => 10,
    async confirm(_post, pendingId) {
      world.outbox.remove(pendingId);
    },
    isOnline: () => world.isOnline,
    isConnected: () => world.isConnected,
    exclusively: (act) => act(),
  };
  return { world, dependencies, sender: createSender(world.outbox, dependencies) };
}

const statesOf = (outbox: Outbox) => outbox.snapshot().map(({ message, state }) => `${message}: ${state}`);
const room = { channelId: "room", rootId: "" };

describe("sender", () => {
  beforeEach(() => {
    vi.stubGlobal("localStorage", memoryStorage());
    vi.useFakeTimers({ now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const settle = () => vi.advanceTimersByTimeAsync(0);

  it("waits without a connection, and sends in order once connected", async () => {
    const { world, sender } = createWorld();
    world.isOnline = false;
    for (const message of ["one", "two", "three"]) sender.send({ ...room, message });
    await settle();
    expect(statesOf(world.outbox)).toEqual(["one: waiting", "two: waiting", "three: waiting"]);
    expect(world.asked).toEqual([]);
    world.isOnline = true;
    sender.wake();
    await settle();
    expect(world.texts()).toEqual(["one", "two", "three"]);
    expect(world.outbox.snapshot()).toEqual([]);
    expect(world.asked).not.toContain("read");
  });

  it("sends posts that a closed page left behind", async () => {
    const { world, dependencies, sender } = createWorld();
    world.isOnline = false;
    sender.send({ ...room, message: "left behind" });
    await settle();
    sender.stop();
    world.isOnline = true;
    world.outbox = createOutbox("me");
    createSender(world.outbox, dependencies).wake();
    await settle();
    expect(world.texts()).toEqual(["left behind"]);
  });

  it.each([
    ["a lost answer", lost()],
    ["a timeout", new DOMException("timed out", "TimeoutError")],
    ["a 502", answered(502)],
    ["a 504", answered(504)],
  ])("finds the post that arrived despite %s, and creates no second one", async (_name, error) => {
    const { world, sender } = createWorld();
    world.trouble = [{ error, isTaken: true }];
    sender.send({ ...room, message: "once" });
    await settle();
    expect(statesOf(world.outbox)).toEqual(["once: waiting"]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(world.texts()).toEqual(["once"]);
    expect(world.outbox.snapshot()).toEqual([]);
    expect(world.asked).toEqual(["post once", "read"]);
  });

  it("finds the post an hour later, after a reload, even behind later messages", async () => {
    const { world, dependencies, sender } = createWorld();
    world.trouble = [{ error: lost(), isTaken: true }];
    sender.send({ ...room, message: "once" });
    await settle();
    sender.stop();
    for (let index = 0; index < 12; index++)
      world.posts.push({ ...samplePost(`n${index}`), userId: "other", createAt: 100 + index });
    await vi.advanceTimersByTimeAsync(3_600_000);
    world.outbox = createOutbox("me");
    createSender(world.outbox, dependencies).wake();
    await settle();
    expect(world.texts().filter((text) => text === "once")).toHaveLength(1);
    expect(world.outbox.snapshot()).toEqual([]);
  });

  it("sends a post again if it did not arrive, even if the same text was sent before", async () => {
    const { world, sender } = createWorld();
    sender.send({ ...room, message: "ok" });
    await settle();
    world.trouble = [{ error: lost(), isTaken: false }];
    sender.send({ ...room, message: "ok" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(world.texts()).toEqual(["ok", "ok"]);
    expect(world.outbox.snapshot()).toEqual([]);
  });

  it("does not mistake a reply elsewhere, or another person's equal text, for its post", async () => {
    const { world, sender } = createWorld();
    world.trouble = [{ error: lost(), isTaken: false }];
    sender.send({ ...room, rootId: "root", message: "same" });
    await settle();
    world.posts.push({
      ...samplePost("x"),
      userId: "other",
      rootId: "root",
      message: "same",
      createAt: 90,
    });
    world.posts.push({ ...samplePost("y"), userId: "me", rootId: "", message: "same", createAt: 91 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(world.posts.filter(({ userId, rootId }) => userId === "me" && rootId === "root")).toHaveLength(1);
  });

  it("keeps the order while the first post waits", async () => {
    const { world, sender } = createWorld();
    world.isConnected = false;
    world.trouble = Array.from({ length: 6 }, () => ({ error: answered(502), isTaken: false }));
    sender.send({ ...room, message: "first" });
    await settle();
    sender.send({ ...room, message: "second" });
    await settle();
    expect(statesOf(world.outbox)).toEqual(["first: waiting", "second: waiting"]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(world.texts()).toEqual(["first", "second"]);
  });

  it.each([400, 401, 403, 413])("keeps a post refused with %i as failed, with the reason", async (status) => {
    const { world, sender } = createWorld();
    world.trouble = [{ error: answered(status), isTaken: false }];
    sender.send({ ...room, message: "refused" });
    sender.send({ ...room, message: "fine" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(world.texts()).toEqual(["fine"]);
    expect(world.outbox.snapshot()).toMatchObject([{ state: "failed", problem: `Reason ${status}.` }]);
    const [{ pendingId }] = world.outbox.snapshot() as [OutgoingPost];
    sender.resend(pendingId);
    await settle();
    expect(world.texts()).toEqual(["fine", "refused"]);
  });

  it("tries a failing server three times, then leaves the retry to the user", async () => {
    const { world, sender } = createWorld();
    world.trouble = Array.from({ length: 9 }, () => ({ error: answered(502), isTaken: false }));
    sender.send({ ...room, message: "stubborn" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(world.asked.filter((asked) => asked === "post stubborn")).toHaveLength(3);
    expect(world.outbox.snapshot()).toMatchObject([{ state: "failed", problem: "Reason 502." }]);
  });

  it("waits as long as a busy server asks", async () => {
    const { world, sender } = createWorld();
    const details = { status: 429, code: "rate_limited" as const, message: "Slowly.", retryAfterSeconds: 20 };
    world.trouble = [{ error: new ChatError(details), isTaken: false }];
    sender.send({ ...room, message: "patient" });
    await vi.advanceTimersByTimeAsync(19_000);
    expect(world.texts()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(world.texts()).toEqual(["patient"]);
  });

  it("sends no second request if the post's event arrived although its answer was lost", async () => {
    const { world, dependencies, sender } = createWorld();
    const { post } = dependencies;
    dependencies.post = async (outgoing) => {
      await post(outgoing);
      world.outbox.remove(outgoing.pendingId);
      throw lost();
    };
    sender.send({ ...room, message: "seen" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(world.asked).toEqual(["post seen"]);
  });

  it("sends no posts that were discarded while waiting, and none after a stop until it is woken", async () => {
    const { world, sender } = createWorld();
    world.isOnline = false;
    sender.send({ ...room, message: "never mind" });
    sender.send({ ...room, message: "for later" });
    await settle();
    world.outbox.remove(world.outbox.snapshot()[0]?.pendingId ?? "");
    sender.stop();
    world.isOnline = true;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(world.texts()).toEqual([]);
    sender.wake();
    await settle();
    expect(world.texts()).toEqual(["for later"]);
  });

  it("refuses further posts while a hundred are waiting", () => {
    const { world, sender } = createWorld();
    world.isOnline = false;
    for (let index = 0; index < 100; index++)
      expect(sender.send({ ...room, message: `${index}` })).toBe(true);
    expect(sender.send({ ...room, message: "too many" })).toBe(false);
    expect(world.outbox.snapshot()).toHaveLength(100);
  });
});
