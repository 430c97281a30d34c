import { expect, it } from "vitest";
import { partnerIdOf } from "#lib/chat/channels/direct-partner.ts";

it("returns a direct channel's partner, the user for a note to self, and null for other channels", () => {
  expect(partnerIdOf({ type: "D", name: "alice__bob" }, "alice")).toBe("bob");
  expect(partnerIdOf({ type: "D", name: "alice__bob" }, "bob")).toBe("alice");
  expect(partnerIdOf({ type: "D", name: "alice__alice" }, "alice")).toBe("alice");
  expect(partnerIdOf({ type: "O", name: "alice__bob" }, "alice")).toBeNull();
});
