import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { soon } from "../harness/soon.ts";
import { type LocalGateway, startGateway } from "../harness/start-gateway.ts";
import {
  alicePat,
  type ScriptedMattermost,
  startScriptedMattermost,
} from "../harness/start-scripted-mattermost.ts";
import { type Client, openWebsocket } from "./open-websocket.ts";

const SECRET = "bob@secret.example";

let mattermost: ScriptedMattermost;
let gateway: LocalGateway;
let client: Client;
let texts: string[];

beforeAll(async () => {
  mattermost = await startScriptedMattermost();
  gateway = await startGateway({ settings: { CHAT_BASE_URL: mattermost.url } });
});
afterAll(async () => {
  await gateway.close();
  await mattermost.close();
});
afterEach(() => client.socket.terminate());

/** Returns the client's copy of a message that Mattermost sends. */
async function relayed(frame: string): Promise<string> {
  client = await openWebsocket(gateway.url, `?token=${alicePat}`);
  await soon(() => expect(client.messages).toHaveLength(1));
  texts = [];
  client.socket.on("message", (data) => texts.push(String(data)));
  const upstream = [...mattermost.sockets].at(-1);
  upstream?.send(frame);
  await soon(() => expect(texts).toHaveLength(1));
  return texts[0] ?? "";
}

const event = (name: string, data: object) => ({ event: name, data, broadcast: { channel_id: "c" }, seq: 1 });
const relayedData = async (name: string, data: object) => {
  const told = JSON.parse(await relayed(JSON.stringify(event(name, data))));
  expect(told).toMatchObject({ event: name, broadcast: { channel_id: "c" }, seq: 1 });
  return told.data;
};

const user = {
  id: "u",
  username: "bob",
  first_name: "Bob",
  email: SECRET,
  roles: "system_user secret",
  props: { customStatus: "secret" },
  notify_props: { mention_keys: "secret" },
  timezone: { automaticTimezone: "secret" },
  position: "secret",
  auth_service: "secret",
  last_picture_update: 5,
};
const post = {
  id: "p",
  channel_id: "c",
  user_id: "u",
  root_id: "",
  message: "hello",
  type: "",
  create_at: 1,
  props: {},
  metadata: {},
};

test("shows a changed user as REST does", async () => {
  expect(await relayedData("user_updated", { user })).toEqual({
    user: { id: "u", username: "bob", first_name: "Bob", last_picture_update: 5 },
  });
});

test("shows a thread without its participants' addresses and its post's props", async () => {
  const thread = {
    id: "p",
    reply_count: 2,
    unread_mentions: 1,
    participants: [user],
    post: { ...post, props: { key: "secret" }, participants: [user] },
  };
  const data = await relayedData("thread_updated", {
    thread: JSON.stringify(thread),
    previous_unread_replies: 0,
  });
  expect(JSON.stringify(data)).not.toContain("secret");
  expect(JSON.parse(data.thread)).toMatchObject({
    id: "p",
    reply_count: 2,
    unread_mentions: 1,
    participants: [{ id: "u", username: "bob" }],
    post: { id: "p", message: "hello", props: {} },
  });
});

test("reports that settings changed, without their content", async () => {
  const config = { SiteURL: "http://secret:8065", EnableFile: "true" };
  expect(await relayedData("config_changed", { config })).toEqual({ config: {} });
  expect(await relayedData("license_changed", { license: { Company: "secret" } })).toEqual({ license: {} });
});

test("shows a hello with the server's release but not its host or build", async () => {
  const hello = {
    connection_id: "k",
    server_version: "11.6.0.11.6.0.4f5c.false",
    server_hostname: "secret-host",
  };
  expect(await relayedData("hello", hello)).toEqual({ connection_id: "k", server_version: "11.6.0" });
});

test("names a deleted post without its content", async () => {
  const deleted = {
    ...post,
    message: "secret",
    props: { attachments: [{ text: "secret" }] },
    hashtags: "#secret",
  };
  const data = await relayedData("post_deleted", { post: JSON.stringify(deleted), delete_by: "secret" });
  expect(JSON.parse(data.post)).toEqual({
    ...{ id: "p", channel_id: "c", user_id: "u", root_id: "", type: "", create_at: 1 },
    message: "",
    props: {},
  });
  expect(data).not.toHaveProperty("delete_by");
});

test("shows a changed channel as the list of channels does", async () => {
  const channel = {
    ...{ id: "c", type: "O", name: "town", display_name: "Town", header: "h", purpose: "p" },
    ...{ scheme_id: "secret", policy_id: "secret", policy_enforced: true, props: { key: "secret" } },
  };
  const data = await relayedData("channel_updated", { channel: JSON.stringify(channel) });
  expect(JSON.parse(data.channel)).toEqual({
    ...{ id: "c", type: "O", name: "town", display_name: "Town", header: "h", purpose: "p" },
  });
});

test.each(["channel_created", "channel_restored", "direct_added"])(
  "shows a whole channel in %s as the list of channels does",
  async (name) => {
    const shown = { id: "c", type: "O", name: "town", display_name: "Town", purpose: "", total_msg_count: 0 };
    const channel = { ...shown, scheme_id: "secret", banner_info: { text: "secret" } };
    const data = await relayedData(name, {
      channel_id: "c",
      channel: JSON.stringify(channel),
      made: [channel],
    });
    expect(data).toEqual({ channel_id: "c", channel: JSON.stringify(shown), made: [shown] });
  },
);

test("names the user whose profile fields changed, without their content", async () => {
  const values = { user_id: "u", values: { field: "secret" } };
  expect(await relayedData("custom_profile_attributes_values_updated", values)).toEqual({ user_id: "u" });
});

test.each(["posted", "post_edited"])("removes hidden props from a bot's post: %s", async (name) => {
  const props = { from_bot: "true", attachments: [{ title: "Card", key: "secret" }], key: "secret" };
  const data = await relayedData(name, {
    post: JSON.stringify({ ...post, props }),
    mentions: JSON.stringify(["u"]),
    sender_name: "@bot",
  });
  expect(JSON.parse(data.post)).toEqual({
    ...post,
    props: { from_bot: "true", attachments: [{ title: "Card" }] },
  });
  expect(data).toMatchObject({ mentions: '["u"]', sender_name: "@bot" });
});

test("removes the server's address from the links of an ephemeral note", async () => {
  const id = "p".repeat(26);
  const note = { ...post, message: `See [this](http://mattermost.secret:8065/chat/team/pl/${id}).` };
  const data = await relayedData("ephemeral_message", { post: JSON.stringify(note) });
  expect(JSON.parse(data.post).message).toBe(`See [this](/team/pl/${id}).`);
});

test.each([
  [
    "at any depth",
    { list: [{ user: { email: SECRET, name: "bob" } }] },
    { list: [{ user: { name: "bob" } }] },
  ],
  [
    "in JSON as text",
    { user: JSON.stringify({ Email: SECRET, id: "u" }) },
    { user: JSON.stringify({ id: "u" }) },
  ],
  [
    "whatever kind they are",
    {
      id: "x",
      roles: "secret",
      notify_props: { a: "secret" },
      authToken: "secret",
      auth_data: "secret",
      mfa_secret: "s",
    },
    { id: "x" },
  ],
  [
    "whatever precedes their names",
    {
      id: "x",
      user_email: SECRET,
      "e-mail": SECRET,
      explicit_roles: "secret",
      newRoles: "secret",
      "access-token": "secret",
    },
    { id: "x" },
  ],
  [
    "personal fields",
    {
      id: "x",
      timezone: { manualTimezone: "secret" },
      userTimezone: "secret",
      locale: "secret",
      position: "secret",
      last_activity_at: 5,
      lastLogin: 5,
      phone_number: "secret",
      ip_address: "secret",
      "profile.locale": "secret",
    },
    { id: "x" },
  ],
  [
    "a team's invitation and rules",
    { id: "x", invite_id: "secret", allowed_domains: "secret", scheme_id: "secret", policy_id: "secret" },
    { id: "x" },
  ],
  [
    "additional fields of whole users",
    { members: [{ profile: JSON.stringify({ ...user, hobby: "secret" }) }] },
    {
      members: [
        {
          profile: JSON.stringify({ id: "u", username: "bob", first_name: "Bob", last_picture_update: 5 }),
        },
      ],
    },
  ],
  [
    "additional fields of a post",
    { post: { ...post, reader: { email: SECRET, locale: "secret", id: "u" } } },
    { post: { ...post, reader: { id: "u" } } },
  ],
])("removes secrets from unknown events: %s", async (_, data, expected) => {
  expect(await relayedData("custom_plugin_of_tomorrow", data)).toEqual(expected);
});

test("removes secrets whose names are written with escapes", async () => {
  const frame = JSON.stringify(event("custom_escaped", { email: SECRET, id: "x" })).replace(
    '"email"',
    '"\\u0065mail"',
  );
  expect(JSON.parse(await relayed(frame)).data).toEqual({ id: "x" });
});

test("passes messages without secrets byte for byte", async () => {
  const posted = JSON.stringify(event("posted", { post: JSON.stringify(post), author_name: "x" }));
  const spaced = posted.replace('"event":', '"event": ').replace('"seq":1', '"seq" :1.0');
  expect(await relayed(spaced)).toBe(spaced);
  client.socket.terminate();
  const typing = '{"event": "typing", "data": {"user_id":"u",  "parent_id":""}, "seq":1}\n';
  expect(await relayed(typing)).toBe(typing);
});

test.each([
  ["a place in a list", { card: { position: 3, title: "x" } }],
  ["a person's name", { username: "bob", text: '{ "username": "bob" }' }],
  ["an empty value", { "e-mails-sent": null, token: "", timezone: {}, locale: "" }],
  [
    "a post with a card and a link",
    { post: JSON.stringify({ ...post, props: { from_bot: "true", attachments: [{ title: "x" }] } }) },
  ],
])("passes %s byte for byte", async (_, data) => {
  const spaced = JSON.stringify(event("custom_event", data)).replaceAll('":', '" : ');
  expect(await relayed(spaced)).toBe(spaced);
});

test("passes a known event with only permitted fields byte for byte", async () => {
  const data = { channelMember: '{"user_id": "u","channel_id":"c","notify_props":{}}' };
  const spaced = JSON.stringify(event("channel_member_updated", data)).replaceAll('":', '" : ');
  expect(await relayed(spaced)).toBe(spaced);
});

test("recognizes a suppressed event despite unusual spacing", async () => {
  const frame = JSON.stringify(event("config_changed", { config: { SiteName: "secret" } }));
  expect(JSON.parse(await relayed(` ${frame.replace('{"event":', '{ "event" : ')}`)).data).toEqual({
    config: {},
  });
});

test("removes a secret nested 5000 levels deep", async () => {
  const nested = `${'{"a":'.repeat(5000)}{"email":"${SECRET}"}${"}".repeat(5000)}`;
  const told = await relayed(`{"event":"custom_deep","data":${nested},"seq":1}`);
  expect(told).not.toContain(SECRET);
});

test("passes messages of backslashes or repeated names", async () => {
  for (const part of ["\\", '\\"', "token", '"token', "props", '"email"', " :", "\\u0065"]) {
    const message = part.repeat(Math.floor(16_000 / part.length));
    const frames = Array.from({ length: 3 }, () =>
      JSON.stringify(event("posted", { post: JSON.stringify({ ...post, message }) })),
    );
    for (const frame of frames) {
      const { data } = JSON.parse(await relayed(frame));
      expect(JSON.parse(data.post).message).toBe(message);
      client.socket.terminate();
    }
  }
});

test("keeps people's texts as written, even if they are JSON", async () => {
  const message = '{ "email": "bob@example.com" }';
  const data = await relayedData("scheduled_post_created", {
    scheduledPost: JSON.stringify({ id: "s", message, props: { key: SECRET } }),
  });
  expect(JSON.parse(data.scheduledPost)).toEqual({ id: "s", message });
});

test("removes secrets from JSON in text that begins with white space", async () => {
  const data = await relayedData("custom_event", { text: ` \n{"email":"${SECRET}"}` });
  expect(JSON.stringify(data)).not.toContain(SECRET);
});
