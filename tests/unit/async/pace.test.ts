import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createPacedStreams, TooSlow } from "../../../lib/async/pace.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const SECOND_MS = 1000;
const pace = { bytesPerSecond: 500, graceMs: 5000 };

/**
 * Creates streams whose readers each take a set number of bytes a second. The test sets how long others
 * wait.
 */
function createReaders() {
  let waitedMs = 0;
  const streams = createPacedStreams(pace, () => waitedMs);
  const readers: Array<{ takes: number; read(): Promise<unknown> }> = [];
  const ended: string[] = [];
  return {
    ended,
    begin(person: string, takes: number, name = person) {
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(readers[index]?.takes ?? takes)),
      });
      const index = readers.length;
      const reader = streams.pass(person, body).getReader();
      reader.closed.catch(() => ended.push(name));
      readers.push({ takes, read: () => reader.read().catch(() => undefined) });
      return {
        reader,
        /** Sets how many bytes the reader takes from now on. */
        take(bytes: number) {
          readers[index] = { takes: bytes, read: () => reader.read().catch(() => undefined) };
        },
      };
    },
    wait(ms: number) {
      waitedMs = ms;
    },
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        for (const { takes, read } of readers) if (takes > 0) await read();
        await vi.advanceTimersByTimeAsync(SECOND_MS);
        if (waitedMs > 0) waitedMs += SECOND_MS;
      }
    },
  };
}

it("drops a reader below the pace after the grace period", async () => {
  const { begin, pass, ended } = createReaders();
  const { reader } = begin("one", 100);
  await pass(5);
  expect(ended).toEqual([]);
  await pass(3);
  expect(ended).toEqual(["one"]);
  await expect(reader.read()).rejects.toThrow("too slowly");
});

it("does not drop a reader that keeps the pace", async () => {
  const { begin, pass, ended } = createReaders();
  begin("one", 501);
  await pass(120);
  expect(ended).toEqual([]);
});

it("drops a reader that was fast and then stopped", async () => {
  const { begin, pass, ended } = createReaders();
  const { take } = begin("one", 1_000_000);
  await pass(10);
  take(0);
  await pass(9);
  expect(ended).toEqual([]);
  await pass(3);
  expect(ended).toEqual(["one"]);
});

it("drops readers just above the pace one by one while someone is waiting", async () => {
  const { begin, wait, pass, ended } = createReaders();
  begin("one", 600);
  begin("two", 700);
  begin("three", 1_000_000);
  await pass(10);
  expect(ended).toEqual([]);
  wait(1);
  await pass(2);
  expect(ended).toEqual([]);
  await pass(1);
  expect(ended).toEqual(["one"]);
  await pass(1);
  expect(ended).toEqual(["one", "two"]);
  wait(0);
  await pass(60);
  expect(ended).toEqual(["one", "two"]);
});

it("drops the slowest stream of the person with the most streams first", async () => {
  const { begin, wait, pass, ended } = createReaders();
  begin("one", 600);
  begin("two", 800, "two's first");
  begin("two", 700, "two's second");
  await pass(10);
  wait(2000);
  await pass(1);
  expect(ended).toEqual(["two's second"]);
});

it("drops even fast readers once someone has waited for a long time", async () => {
  const { begin, wait, pass, ended } = createReaders();
  begin("one", 100_000);
  await pass(10);
  wait(2000);
  await pass(5);
  expect(ended).toEqual([]);
  await pass(2);
  expect(ended).toEqual(["one"]);
});

it("gives a new reader a grace period", async () => {
  const { begin, wait, pass, ended } = createReaders();
  wait(60_000);
  begin("one", 600);
  await pass(4);
  expect(ended).toEqual([]);
  await pass(1);
  expect(ended).toEqual(["one"]);
});

it("stops watching once the body ends", async () => {
  const waitMs = vi.fn(() => 0);
  const streams = createPacedStreams(pace, waitMs);
  const reader = streams.pass("one", new Blob(["whole"]).stream()).getReader();
  await vi.advanceTimersByTimeAsync(SECOND_MS);
  expect(waitMs).toHaveBeenCalledOnce();
  while (!(await reader.read()).done);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(waitMs).toHaveBeenCalledOnce();
});

it("abandons a pushed body whose receiver is too slow, and fails it", async () => {
  const streams = createPacedStreams(pace, () => 0);
  let push: (bytes: number) => void = () => undefined;
  const cancel = vi.fn();
  const heard: unknown[] = [];
  const body = streams.passPushed("one", {
    begin: ({ chunk }) => {
      push = (bytes) => chunk(new Uint8Array(bytes));
    },
    resume: () => undefined,
    cancel,
  });
  body.begin({
    chunk: ({ byteLength }) => heard.push(byteLength) > 0,
    end: () => heard.push("end"),
    fail: (error) => heard.push(error),
  });
  push(1000);
  await vi.advanceTimersByTimeAsync(7 * SECOND_MS);
  expect(cancel).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(SECOND_MS);
  expect(cancel).toHaveBeenCalledOnce();
  expect(heard).toEqual([1000, expect.any(TooSlow)]);
});

it.each(["end", "failure", "cancellation"] as const)(
  "stops watching a pushed body at its %s",
  async (way) => {
    const waitMs = vi.fn(() => 0);
    const streams = createPacedStreams(pace, waitMs);
    let finish = () => {};
    const body = streams.passPushed("one", {
      begin: (receiver) => {
        finish = () => (way === "failure" ? receiver.fail(new Error("broken")) : receiver.end());
      },
      resume: () => undefined,
      cancel: () => undefined,
    });
    body.begin({ chunk: () => true, end: () => undefined, fail: () => undefined });
    await vi.advanceTimersByTimeAsync(SECOND_MS);
    expect(waitMs).toHaveBeenCalledOnce();
    if (way === "cancellation") body.cancel();
    else finish();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(waitMs).toHaveBeenCalledOnce();
  },
);
