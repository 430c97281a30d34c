import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AnyBody, type ChatWorld, type Person, startChatWorld } from "../../harness/start-chat-world.ts";
import { pngOf } from "../../harness/start-picture-server.ts";

describe("GET /files/{file_id}", () => {
  let world: ChatWorld;
  let alice: Person;
  let bob: Person;
  let room: string;

  beforeAll(async () => {
    world = await startChatWorld();
    alice = await world.login("alice");
    bob = await world.login("bob");
    room = await world.makeChannel([alice, bob], { type: "P" });
  });
  afterAll(() => world.close());

  /** Uploads directly to Mattermost, as other clients do. */
  const attach = async (name: string, bytes: Uint8Array | string): Promise<string> => {
    const query = new URLSearchParams({ channel_id: room, filename: name });
    const response = await fetch(`${world.proxy.url}/files?${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${alice.pat}` },
      body: new Uint8Array(Buffer.from(bytes)),
    });
    const { id } = ((await response.json()) as AnyBody).file_infos[0];
    await alice.mattermost("POST", "/posts", { channel_id: room, message: name, file_ids: [id] });
    return id;
  };
  const read = (who: Person, id: string, query = "", headers: Record<string, string> = {}) =>
    fetch(`${world.gateway.url}/api/chat/files/${id}${query}`, {
      headers: { authorization: `Bearer ${who.pat}`, ...headers },
    });

  it("serves a picture with its type to members, in full size, as a thumbnail and as a preview", async () => {
    const id = await attach("Täl (1).png", pngOf("valley"));
    const response = await read(bob, id);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(response.headers.get("content-disposition")).toBe(
      "inline; filename*=UTF-8''T%C3%A4l%20%281%29.png",
    );
    expect(response.headers.get("cache-control")).toBe("private, max-age=86400");
    // The browser's cache does not serve the file to the next user who signs in there.
    expect(response.headers.get("vary")).toMatch(/Cookie.*Authorization/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
    expect(Buffer.from(await response.arrayBuffer()).equals(pngOf("valley"))).toBe(true);
    for (const size of ["thumbnail", "preview"]) {
      const small = await read(bob, id, `?size=${size}`);
      expect([small.status, small.headers.get("content-type")]).toEqual([
        200,
        expect.stringMatching(/^image\/(png|jpeg)$/),
      ]);
      await small.arrayBuffer();
    }
    const saved = await read(bob, id, "?download=true");
    expect(saved.headers.get("content-disposition")).toMatch(/^attachment;/);
    await saved.arrayBuffer();
  });

  it("serves other types as downloads, never as pages", async () => {
    const page = "<html><script>alert(1)</script></html>";
    for (const name of ["page.html", "drawing.svg", "notes.txt", "nothing"]) {
      const response = await read(bob, await attach(name, page));
      expect([name, response.headers.get("content-type")]).toEqual([name, "application/octet-stream"]);
      expect(response.headers.get("content-disposition")).toBe(`attachment; filename*=UTF-8''${name}`);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(await response.text()).toBe(page);
    }
  });

  it("serves the requested range, and returns 416 for one outside the file", async () => {
    const id = await attach("digits.txt", "0123456789");
    const part = await read(bob, id, "", { range: "bytes=2-4" });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      "bytes 2-4/10",
      "234",
    ]);
    const beyond = await read(bob, id, "", { range: "bytes=20-" });
    expect([beyond.status, ((await beyond.json()) as AnyBody).code]).toEqual([416, "range_not_satisfiable"]);
    expect(await (await read(bob, id, "", { range: "bytes=0-1,4-5" })).text()).toBe("0123456789");
  });

  it("returns 304 for a cached copy", async () => {
    const id = await attach("same.png", pngOf("same"));
    const first = await read(bob, id);
    await first.arrayBuffer();
    const since = first.headers.get("last-modified") ?? "";
    expect((await read(bob, id, "", { "if-modified-since": since })).status).toBe(304);
  });

  it("returns 404 for users who can't read the channel, an unknown file and a missing preview", async () => {
    const id = await attach("secret.png", pngOf("secret"));
    const carol = await world.newcomer();
    for (const [who, path] of [
      [carol, `/files/${id}`],
      [carol, `/files/${id}?size=thumbnail`],
      [bob, `/files/${"z".repeat(26)}`],
      [bob, `/files/${await attach("words.txt", "words")}?size=preview`],
    ] as const) {
      const { status, body } = await who.api("GET", path);
      expect([path, status, body.code]).toEqual([path, 404, "not_found"]);
    }
  });

  it("takes 1 Mattermost call", async () => {
    const id = await attach("one.png", pngOf("one"));
    world.proxy.forget();
    await (await read(bob, id)).arrayBuffer();
    expect(world.proxy.calls()).toEqual([`GET /files/${id}`]);
  });
});
