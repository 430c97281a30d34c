import { expect, test } from "vitest";
import { pictureOf } from "#app/(demo)/_chat/data/model.ts";

test("a person has a picture where they chose one; nobody is shown as the letter that Mattermost draws", () => {
  const user = { id: "u".repeat(26), username: "alice" };
  expect(pictureOf({ ...user, last_picture_update: 7 })).toMatch(/\/users\/u{26}\/image\?v=7$/);
  expect([pictureOf({ ...user, last_picture_update: 0 }), pictureOf(user)]).toEqual([undefined, undefined]);
});
