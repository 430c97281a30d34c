import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keepPace } from "../../../lib/async/pace.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const endless = () =>
  new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(1000)) });

const pace = { bytesPerSecond: 500, graceMs: 5000 };
const open = (body: ReadableStream<Uint8Array>) => {
  const onSlow = vi.fn();
  return { reader: keepPace(body, pace, onSlow, () => Date.now()).getReader(), onSlow };
};

it("cuts off a reader who takes less than the pace after the grace", async () => {
  const { reader, onSlow } = open(endless());
  await reader.read();
  await vi.advanceTimersByTimeAsync(6000);
  expect(onSlow).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(3000);
  expect(onSlow).toHaveBeenCalledOnce();
  await expect(reader.read()).rejects.toThrow("too slowly");
});

it("leaves a reader alone who keeps the pace", async () => {
  const { reader, onSlow } = open(endless());
  for (let second = 0; second < 60; second++) {
    expect((await reader.read()).done).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(onSlow).not.toHaveBeenCalled();
});

it("ends with the body, and looks no more", async () => {
  const { reader, onSlow } = open(new Blob(["whole"]).stream());
  while (!(await reader.read()).done);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onSlow).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});
