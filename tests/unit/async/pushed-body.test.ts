import { expect, it } from "vitest";
import {
  type ChunkReceiver,
  holdBeginning,
  limitPushed,
  type PushedBody,
  readPushed,
  toWebStream,
} from "../../../lib/async/pushed-body.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const textOf = (chunk: Uint8Array) => new TextDecoder().decode(chunk);

/** A body of these chunks, which pushes while its receiver has room, and its state. */
function createBody(chunks: readonly string[], outcome: "end" | Error = "end") {
  const state = { isCancelled: false, pushed: 0 };
  let receiver: ChunkReceiver | null = null;
  let hasRoom = false;
  const push = () => {
    hasRoom = true;
    while (receiver && hasRoom && state.pushed < chunks.length)
      hasRoom = receiver.chunk(bytes(chunks[state.pushed++] ?? ""));
    if (!receiver || !hasRoom) return;
    const last = receiver;
    receiver = null;
    if (outcome === "end") last.end();
    else last.fail(outcome);
  };
  const body: PushedBody = {
    begin(given) {
      receiver = given;
      push();
    },
    resume: () => push(),
    cancel() {
      state.isCancelled = true;
      receiver = null;
    },
  };
  return { body, state };
}

const short = ["one ", "two ", "three"];

it("reads a body to its end", async () => {
  expect((await readPushed(createBody(short).body, 100)).toString()).toBe("one two three");
});

it("abandons a body beyond the limit, and fails", async () => {
  const { body, state } = createBody(short);
  await expect(readPushed(body, 7)).rejects.toThrow("too large");
  expect(state).toEqual({ isCancelled: true, pushed: 2 });
});

it("fails with the error of its source", async () => {
  await expect(readPushed(createBody(short, new Error("broken")).body, 100)).rejects.toThrow("broken");
});

it("pushes to a web stream only what its reader asks for", async () => {
  const { body, state } = createBody(short);
  const reader = toWebStream(body).getReader();
  expect(state.pushed).toBe(0);
  expect(textOf((await reader.read()).value ?? new Uint8Array())).toBe("one ");
  expect(state.pushed).toBe(1);
  const rest = await Promise.all([reader.read(), reader.read(), reader.read()]);
  expect(rest.map(({ done, value }) => (done ? "end" : textOf(value)))).toEqual(["two ", "three", "end"]);
});

it("passes failure and cancellation through a web stream", async () => {
  await expect(new Response(toWebStream(createBody([], new Error("broken")).body)).text()).rejects.toThrow();
  const { body, state } = createBody(short);
  await toWebStream(body).cancel();
  expect(state.isCancelled).toBe(true);
});

it("returns a body whole if it ends within its beginning", async () => {
  const held = await holdBeginning(createBody(short).body, 14);
  expect(held).toBeInstanceOf(Uint8Array);
  expect(textOf(held as Uint8Array)).toBe("one two three");
});

it("repeats the beginning of a longer body, and reads no further until then", async () => {
  const { body, state } = createBody(short);
  const held = (await holdBeginning(body, 5)) as PushedBody;
  expect(state.pushed).toBe(2);
  expect((await readPushed(held, 100)).toString()).toBe("one two three");
});

it("fails if the beginning of a body does", async () => {
  const { body } = createBody(["one "], new Error("broken"));
  await expect(holdBeginning(body, 100)).rejects.toThrow("broken");
});

it("fails later if a body breaks off behind its beginning", async () => {
  const { body } = createBody(["one ", "two "], new Error("broken"));
  const held = (await holdBeginning(limitPushed(body, 100), 4)) as PushedBody;
  await expect(readPushed(held, 100)).rejects.toThrow("broken");
});
