import { expect, it } from "vitest";
import { createFreshAnswers } from "../../../lib/async/cache.ts";

function scripted() {
  const asked: Array<{ resolve(value: number): void; reject(error: Error): void }> = [];
  const ask = () => new Promise<number>((resolve, reject) => asked.push({ resolve, reject }));
  return { asked, ask };
}

it("answers each caller with a run that started after the call, one run at a time", async () => {
  const { asked, ask } = scripted();
  const answer = createFreshAnswers(ask, 0);
  const early = answer();
  await expect.poll(() => asked.length).toBe(1);
  const late = [answer(), answer(), answer()];
  expect(asked).toHaveLength(1);
  asked[0]?.resolve(1);
  expect(await early).toBe(1);
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve(2);
  expect(await Promise.all(late)).toEqual([2, 2, 2]);
});

it("runs again after a failure", async () => {
  const { asked, ask } = scripted();
  const answer = createFreshAnswers(ask, 0);
  const first = answer();
  await expect.poll(() => asked.length).toBe(1);
  const second = answer();
  asked[0]?.reject(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve(2);
  expect(await second).toBe(2);
});
