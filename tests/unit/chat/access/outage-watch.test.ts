import { expect, test } from "vitest";
import { createOutageWatch } from "#lib/chat/access/outage-watch.ts";

const broken = (route: string) => ({ method: "GET", route, isBroken: true });

test("reports an outage for five seconds after the third route fails", () => {
  let nowMs = 0;
  const watch = createOutageWatch(() => nowMs);
  watch.note(broken("/users/me"));
  watch.note(broken("/users/me"));
  watch.note({ ...broken("/channels"), isBroken: false });
  watch.note(broken("/posts"));
  expect(watch.isRecent()).toBe(false);
  watch.note(broken("/teams"));
  expect(watch.isRecent()).toBe(true);
  nowMs = 5_000;
  expect(watch.isRecent()).toBe(true);
  nowMs = 5_001;
  expect(watch.isRecent()).toBe(false);
});
