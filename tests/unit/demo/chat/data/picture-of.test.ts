import { expect, test } from "vitest";
import { pictureOf } from "#app/(demo)/_chat/data/picture-of.ts";

test("shows a person's chosen picture, and never Mattermost's generated letter", () => {
  const user = { id: "u".repeat(26), username: "alice" };
  expect(pictureOf({ ...user, lastPictureUpdate: 7 })).toMatch(/\/users\/u{26}\/image\?v=7$/);
  expect([pictureOf({ ...user, lastPictureUpdate: 0 }), pictureOf(user)]).toEqual([undefined, undefined]);
});
