import type { Locator } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { timeline, write } from "./support/chat-page.ts";
import { createRoom, type Room } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

const MESSAGES = 5_000;
const LANES = 8;

test.describe.configure({ timeout: 180_000 });

async function fill(room: Room) {
  const writer = room.people.get("bob");
  let next = 0;
  const lane = async () => {
    while (next < MESSAGES) {
      const index = next++;
      const text =
        index % 7 === 0 ? `Entry ${index}\n${"and some more of it ".repeat(index % 40)}` : `Entry ${index}`;
      await writer?.mattermost("POST", "/posts", { channel_id: room.id, message: text });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Returns the height in pixels of the largest visible part of the list that no message covers. */
function tallestGap(list: Locator): Promise<number> {
  return list.evaluate((element) => {
    const view = element.getBoundingClientRect();
    const rows = [...element.querySelectorAll("[data-row]")]
      .filter((row) => row.checkVisibility({ visibilityProperty: true }))
      .map((row) => row.getBoundingClientRect())
      .filter((row) => row.bottom > view.top && row.top < view.bottom)
      .sort((a, b) => a.top - b.top);
    let covered = view.top;
    let gap = 0;
    for (const row of rows) {
      gap = Math.max(gap, row.top - covered);
      covered = Math.max(covered, row.bottom);
    }
    return Math.max(gap, view.bottom - covered);
  });
}

test("a channel of 5,000 messages scrolls without blank frames, and renders few of them at a time", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Endless Room", ["alice", "bob"]);
  await fill(room);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const list = timeline(alice, room.title);
  await expect(list.getByText(/^Entry \d+$/).first()).toBeVisible();
  await expect.poll(() => tallestGap(list)).toBeLessThan(100);

  await list.hover();
  for (let step = 0; step < 60; step++) {
    await alice.mouse.wheel(0, -700);
    // Two frames: one for the scroll, one for the list to render.
    await alice.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    expect(await tallestGap(list), `after ${step + 1} turns of the wheel`).toBeLessThan(150);
  }
  expect(await list.locator("[data-row]").count()).toBeLessThan(200);

  await alice.getByRole("button", { name: strings.timeline.jumpToLatest }).click();
  await write(alice, room.title, "The end is in sight");
  await expect(list.getByText("The end is in sight")).toBeInViewport();
  await expect.poll(() => tallestGap(list)).toBeLessThan(100);
});
