import { describe, expect, it } from "vitest";
import { openChatWorld } from "../../harness/open-chat-world.ts";
import type { AnyBody } from "../../harness/start-chat-world.ts";
import { unique } from "../../harness/unique.ts";

const { world, alice, bob } = await openChatWorld("alice", "bob");
const room = await world.makeChannel([alice, bob]);

describe("POST /channels/{channel_id}/posts", () => {
  const send = (body: unknown, id = room, who = alice) => who.api("POST", `/channels/${id}/posts`, body);
  const texts = async () =>
    (await bob.api("GET", `/channels/${room}/posts`)).body.posts.map((post: AnyBody) => post.message);

  it("creates a message", async () => {
    const { status, body } = await send({
      message: "  hello  ",
      unknown: 1,
      props: { override_username: "admin" },
    });
    expect(status).toBe(200);
    expect(body.post).toMatchObject({ channel_id: room, user_id: alice.id, message: "hello", root_id: "" });
    expect(JSON.stringify(body)).not.toContain("override_username");
    expect(await texts()).toContain("hello");
  });

  it("creates a reply", async () => {
    const root = (await send({ message: "root", rootId: null })).body.post;
    expect((await send({ message: "no reply", rootId: "" })).body.post.root_id).toBe("");
    const { body } = await send({ message: "reply", rootId: root.id }, room, bob);
    expect(body.post).toMatchObject({ root_id: root.id, user_id: bob.id });
  });

  it("creates one post for a pendingPostId sent twice, and refuses other users' ids", async () => {
    const [message, foreign] = [unique("sent again "), unique("not mine ")];
    const pendingPostId = `${alice.id}:${Date.now()}`;
    const first = await send({ message, pendingPostId });
    expect(first.body.post.pending_post_id).toBe(pendingPostId);
    const again = await send({ message, pendingPostId });
    expect([again.status, again.body]).toEqual([200, first.body]);
    const { status, body } = await send({ message: foreign, pendingPostId: `${bob.id}:${Date.now()}` });
    expect([status, body.code, body.issues[0].path]).toEqual([400, "invalid_request", "pendingPostId"]);
    const known = await texts();
    expect(known.filter((text: string) => text === message)).toHaveLength(1);
    expect(known).not.toContain(foreign);
  });

  it("creates a /me message once for each pendingPostId, and returns 400 for a system message", async () => {
    const sent = { message: "*waves*", type: "me", pendingPostId: `${alice.id}:${Date.now()}` };
    const [first, again] = [await send(sent), await send(sent)];
    expect(first.body.post).toMatchObject({ type: "me", message: "*waves*", user_id: alice.id });
    expect(again.body.post.id).toBe(first.body.post.id);
    expect((await send({ message: "as the server", type: "system_generic" })).status).toBe(400);
  });

  it("creates one post for a pendingPostId sent three times at once, and returns it each time", async () => {
    const sent = { message: unique("sent thrice "), pendingPostId: `${alice.id}:${Date.now()}` };
    const answers = await Promise.all([send(sent), send(sent), send(sent)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.post))).size).toBe(1);
    expect((await texts()).filter((text: string) => text === sent.message)).toHaveLength(1);
  });

  it("returns 403 for a channel of others while the same pendingPostId creates a post elsewhere", async () => {
    const closed = await world.makeChannel([bob]);
    const sent = { message: "in two places", pendingPostId: `${alice.id}:${Date.now()}` };
    const [here, there] = await Promise.all([send(sent), send(sent, closed)]);
    expect([here.status, here.body.post.channel_id]).toEqual([200, room]);
    expect([there.status, there.body.code]).toEqual([403, "forbidden"]);
  });

  it("returns 404 for a rootId that is not a root in this channel", async () => {
    const other = await world.makeChannel([alice]);
    const foreign = await alice.post(other, "foreign root");
    const root = await alice.post(room, "a root");
    const reply = await alice.post(room, "a reply", root.id);
    for (const rootId of [foreign.id, reply.id, "z".repeat(26)]) {
      const { status, body } = await send({ message: "lost", rootId });
      expect([status, body.code]).toEqual([404, "not_found"]);
    }
    expect(await texts()).not.toContain("lost");
  });

  it("accepts up to 16383 characters, counted as code points", async () => {
    expect((await send({ message: "x".repeat(16_383) })).status).toBe(200);
    expect((await send({ message: "😀".repeat(16_000) })).status).toBe(200);
    const { status, body } = await send({ message: "x".repeat(16_384) });
    expect([status, body.code]).toEqual([400, "invalid_request"]);
  });

  it("accepts 16383 characters even if JSON escapes each of them", async () => {
    const message = "😀".repeat(16_383);
    const escaped = message.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`);
    const path = `/channels/${room}/posts`;
    const { status, body } = await alice.api("POST", path, `{"message":"${escaped}"}`);
    expect([status, body.post?.message]).toEqual([200, message]);
  });

  it.each([
    "\u200b",
    "\u2060\ufeff\n",
    "\u3164",
    "\u2800",
    "\u{e0001}",
    "\u200e \u202e",
    "\ufe0f",
    "\u00ad\u034f",
    "&nbsp;",
    "&nbsp; &ZeroWidthSpace;\n&#8203;&#x3164;&#X2800;",
    "&zwj;\u200b&shy;",
  ])("returns 400 for the invisible characters %j alone", async (message) => {
    const { status, body } = await send({ message });
    expect([status, body.code]).toEqual([400, "invalid_request"]);
  });

  it.each(["&amp;", "&nbsp", "&nosuch;", "&#0;", "&#1114112;", "`&nbsp;`", "\\&nbsp;", "&nbsp;x", "&#65;"])(
    "accepts the visible message %j",
    async (message) => {
      expect((await send({ message })).body.post.message).toBe(message);
    },
  );

  it.each(["**", "*\u200b*", "* &nbsp; *", "\u200b"])(
    "returns 400 for the /me message %j",
    async (message) => {
      const { status, body } = await send({ message, type: "me" });
      expect([status, body.code]).toEqual([400, "invalid_request"]);
    },
  );

  it("accepts invisible characters among visible ones", async () => {
    const message = "👩\u200d🚀 \u2067שלום\u2069 ❤\ufe0f";
    expect((await send({ message })).body.post.message).toBe(message);
  });

  it.each([
    {},
    { message: "" },
    { message: " \n " },
    { message: 1 },
    { message: null },
    { message: "a\0b" },
    { message: "x", rootId: "short" },
    { message: "x", pendingPostId: "1700000000000" },
    { message: "x", pendingPostId: null },
    [],
  ])("returns 400 for %j", async (body) => {
    const answer = await send(body);
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_request"]);
    expect(answer.body.issues.length).toBeGreaterThan(0);
  });

  it("returns 413 for a body over 200 KiB, 415 for a type other than JSON and 400 for broken JSON", async () => {
    expect((await send({ message: "x".repeat(205_000) })).status).toBe(413);
    const plain = await alice.api("POST", `/channels/${room}/posts`, '{"message":"x"}', {
      "content-type": "text/plain",
    });
    expect([plain.status, plain.body.code]).toEqual([415, "unsupported_media_type"]);
    const broken = await alice.api("POST", `/channels/${room}/posts`, '{"message":');
    expect([broken.status, broken.body.code]).toEqual([400, "invalid_json"]);
  });

  it("accepts a body of up to exactly 200 KiB", async () => {
    const sized = (bytes: number) => {
      const empty = JSON.stringify({ message: "sized", ignored: "" });
      return empty.replace('""', `"${"x".repeat(bytes - empty.length)}"`);
    };
    expect((await send(sized(204_800))).status).toBe(200);
    expect((await send(sized(204_801))).body.code).toBe("payload_too_large");
  });

  it("returns 403 for non-members and 404 for an unknown channel", async () => {
    const other = await world.makeChannel([alice]);
    expect((await send({ message: "x" }, other, bob)).status).toBe(403);
    expect((await send({ message: "x" }, "z".repeat(26), bob)).status).toBe(404);
  });

  it("returns 409 in an archived channel", async () => {
    const other = await world.makeChannel([alice]);
    await world.admin("DELETE", `/channels/${other}`);
    const { status, body } = await send({ message: "x" }, other);
    expect([status, body.code]).toEqual([409, "conflict"]);
  });

  it("takes 1 Mattermost call", async () => {
    world.proxy.forget();
    await send({ message: "counted" });
    expect(world.proxy.calls()).toEqual(["POST /posts"]);
  });
});
