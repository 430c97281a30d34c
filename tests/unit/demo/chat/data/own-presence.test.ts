import { expect, test } from "vitest";
import { type EventContext, followEvents } from "#app/(demo)/_chat/data/events.ts";
import { createEvents } from "#lib/chat-client/chat-events.ts";

test("signals presence when Mattermost reports the user as offline, but not as away, and not for others", () => {
  const told: Array<Record<string, string>> = [];
  let here = 0;
  const context = {
    me: { id: "me", username: "me" },
    presence: { tell: (statuses) => void told.push(statuses), see: () => undefined },
    sayHere: () => {
      here += 1;
    },
  } satisfies Partial<EventContext> as unknown as EventContext;
  const events = createEvents();
  followEvents(events.on, () => context);
  const hear = (userId: string, status: string) =>
    events.tellFrame({ event: "status_change", seq: 1, data: { user_id: userId, status }, broadcast: {} });
  hear("me", "away");
  hear("eve", "offline");
  expect(here).toBe(0);
  hear("me", "offline");
  expect(here).toBe(1);
  expect(told).toEqual([{ me: "away" }, { eve: "offline" }, { me: "offline" }]);
});
