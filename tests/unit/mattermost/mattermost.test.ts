import fc from "fast-check";
import { expect, it } from "vitest";
import { path, routeOf } from "../../../lib/mattermost/mattermost.ts";

it("inserts values into their segments", () => {
  expect(path`/users/${"me"}/posts/${"p1"}/reactions/${"+1"}`).toBe("/users/me/posts/p1/reactions/%2B1");
});

it.each(["", ".", ".."])("refuses %j as a segment", (value) => {
  expect(() => path`/users/${value}`).toThrow(TypeError);
});

it("keeps each value within its segment", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 3 }), (value) => {
      const made = path`/users/${value}/image`;
      expect(new URL(made, "http://mattermost").pathname).toBe(made);
      expect(made.split("/")).toHaveLength(4);
    }),
  );
});

it("names a route only by its fixed parts", () => {
  const id = "p".repeat(26);
  expect(routeOf(path`/users/me/posts/${id}/reactions/${"+1"}`)).toBe("/users/me/posts/{}/reactions/{}");
  expect(routeOf(`${path`/teams/${id}/channels/name/${"hive-100001"}`}?include_deleted=true`)).toBe(
    "/teams/{}/channels/name/{}",
  );
  expect(routeOf("/users/ids")).toBe("/users/ids");
});
