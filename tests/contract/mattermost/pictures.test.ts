import { expect, it } from "vitest";
import { describeMattermost, type Person } from "./support/world.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describeMattermost("profile pictures", (world) => {
  const fetchImage = (token: string, id: string, headers: Record<string, string> = {}) =>
    fetch(`${world.baseUrl}/users/${id}/image`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    });

  it("a user has a PNG picture, visible only with a session", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const response = await fetchImage(alice.token, bob.id);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(response.headers.get("cache-control")).toContain("private");
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.subarray(0, 4)).toEqual(PNG.subarray(0, 4));
    expect((await fetchImage("x".repeat(26), bob.id)).status).toBe(401);
    expect((await fetchImage(alice.token, "a".repeat(26))).status).toBe(404);
  });

  it("the owner sets a new picture and restores the default", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const original = await (await fetchImage(bob.token, bob.id)).arrayBuffer();
    const file = new File([PNG], "me.png", { type: "image/png" });
    expect(await bob.client.uploadProfileImage(bob.id, file)).toEqual({ status: "OK" });
    expect((await bob.client.getMe()).last_picture_update).toBeGreaterThan(0);
    const response = await fetchImage(alice.token, bob.id);
    expect(response.headers.get("content-type")).toMatch(/^image\//);
    const chosen = Buffer.from(await response.arrayBuffer());
    expect(chosen).not.toEqual(Buffer.from(original));
    expect(chosen.subarray(0, 4)).toEqual(PNG.subarray(0, 4));
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toBe(String((await bob.client.getMe()).last_picture_update));
    expect((await fetchImage(alice.token, bob.id, { "if-none-match": etag })).status).toBe(304);
    expect(await bob.client.setDefaultProfileImage(bob.id)).toEqual({ status: "OK" });
    expect(String((await bob.client.getMe()).last_picture_update)).toMatch(world.answers.noPictureAnyMore);
  });

  it("setting another user's picture and sending a form without one are refused", async () => {
    const [alice, bob] = (await world.people(2)) as [Person, Person];
    const upload = async (name: string, person: Person) => {
      const form = new FormData();
      form.append(name, new File([PNG], "me.png", { type: "image/png" }));
      const response = await fetch(`${world.baseUrl}/users/${bob.id}/image`, {
        method: "POST",
        headers: { authorization: `Bearer ${person.token}` },
        body: form,
      });
      return [response.status, ((await response.json()) as { id?: string }).id];
    };
    expect(await upload("image", alice)).toEqual([403, "api.context.permissions.app_error"]);
    expect(await upload("other", bob)).toEqual([400, "api.user.upload_profile_user.no_file.app_error"]);
  });
});
