import fc from "fast-check";
import { expect, it } from "vitest";
import { path } from "../../../lib/mattermost/path.ts";

it("puts values into their segments", () => {
  expect(path`/users/${"me"}/posts/${"p1"}/reactions/${"+1"}`).toBe("/users/me/posts/p1/reactions/%2B1");
});

it.each(["", ".", ".."])("refuses %j", (value) => {
  expect(() => path`/users/${value}`).toThrow(TypeError);
});

it("lets no value leave its segment", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 3 }), (value) => {
      const made = path`/users/${value}/image`;
      expect(new URL(made, "http://backend").pathname).toBe(made);
      expect(made.split("/")).toHaveLength(4);
    }),
  );
});
