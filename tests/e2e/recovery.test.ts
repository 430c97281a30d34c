import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { createApiPerson } from "./support/api-person.ts";
import { composer, messageRow, timeline, waitForChannel, write } from "./support/chat-page.ts";
import { type OwnServer, startOwnServer } from "./support/own-server.ts";
import { expect, test } from "./support/test.ts";

const ROOM = "Hive Developers";
const CATCH_UP = { timeout: 90_000 };

test.describe.configure({ timeout: 120_000 });

let server: OwnServer;
test.beforeAll(async () => {
  server = await startOwnServer();
});
test.afterAll(() => server.close());

async function enter(name: string) {
  const person = await createApiPerson(server.url, name, server.mattermostUrl);
  const { channels } = await person.chat("GET", "/channels");
  const { id } = channels.find((channel: { display_name: string }) => channel.display_name === ROOM);
  return { person, roomId: id as string };
}

test("the page reports a restart of Mattermost, survives it, and catches up", async ({ openAs }) => {
  const { person: bob, roomId } = await enter("bob");
  const alice = await openAs("alice", `/chat/${roomId}`, { url: server.url });
  await waitForChannel(alice, ROOM);
  await server.killMattermost();
  await expect(alice.getByRole("status").filter({ hasText: strings.connection.waiting })).toBeVisible();
  await write(alice, ROOM, "Is anybody out there?");
  await expect(alice.getByText(strings.message.waiting)).toBeVisible();

  await server.startMattermost();
  await bob.chat("POST", `/channels/${roomId}/posts`, { message: "Said while you were away" });
  await expect(alice.getByText(strings.connection.waiting)).toBeHidden(CATCH_UP);
  await expect(timeline(alice, ROOM).getByText("Said while you were away")).toBeVisible(CATCH_UP);
  await expect(alice.getByText(strings.message.waiting)).toBeHidden(CATCH_UP);
  await expect(alice.getByText(strings.message.notSent)).toBeHidden();
  await expect(messageRow(timeline(alice, ROOM), "Is anybody out there?")).toHaveCount(1);
  await bob.chat("POST", `/channels/${roomId}/posts`, { message: "And live again" });
  await expect(timeline(alice, ROOM).getByText("And live again")).toBeVisible(CATCH_UP);
});

test("the page resumes its session after the server is killed and restarted", async ({ openAs }) => {
  const { roomId } = await enter("bob");
  const alice = await openAs("alice", `/chat/${roomId}`, { url: server.url });
  await waitForChannel(alice, ROOM);
  await server.killServer();
  await expect(alice.getByRole("status").filter({ hasText: strings.connection.waiting })).toBeVisible();
  await server.startServer();
  await expect(alice.getByText(strings.connection.waiting)).toBeHidden(CATCH_UP);
  await write(alice, ROOM, "Back after a crash");
  await expect(timeline(alice, ROOM).getByText("Back after a crash")).toBeVisible();
  await expect(alice.getByText(strings.message.notSent)).toBeHidden();
});

test("an open conversation reports its partner's deactivated account, and works again after its reactivation", async ({
  openAs,
}) => {
  const { person: carol } = await enter("carol");
  const { person: bob } = await enter("bob");
  const { channelId } = await bob.chat("POST", "/direct", { username: "carol" });
  const page = await openAs("bob", `/chat/${channelId}`, { url: server.url });
  await waitForChannel(page, "carol");
  await composer(page, "carol").fill("half a word");
  const setActive = (active: boolean) => server.admin("PUT", `/users/${carol.userId}/active`, { active });

  await setActive(false);
  const { standing } = strings.channel;
  await expect(page.getByRole("alert").filter({ hasText: standing.deactivated })).toBeVisible(CATCH_UP);
  await expect(composer(page, "carol")).toBeHidden();
  await expect(page.getByText(standing.draft)).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("carol");

  await setActive(true);
  await expect(composer(page, "carol")).toHaveValue("half a word", CATCH_UP);
});

async function revokeTokens(userId: string) {
  const tokens = await server.admin("GET", `/users/${userId}/tokens`);
  for (const { id } of tokens) await server.admin("POST", "/users/tokens/revoke", { token_id: id });
}

test("a revoked chat token is renewed through the session without asking the user", async ({ openAs }) => {
  const { person, roomId } = await enter("erin");
  const erin = await openAs("erin", `/chat/${roomId}`, { url: server.url });
  await waitForChannel(erin, ROOM);
  await revokeTokens(person.userId);
  await write(erin, ROOM, "Nothing happened to me");
  await expect(timeline(erin, ROOM).getByText("Nothing happened to me")).toBeVisible();
  await expect(erin.getByText(strings.message.notSent)).toBeHidden();
  await erin.reload();
  await expect(timeline(erin, ROOM).getByText("Nothing happened to me")).toHaveCount(1);
});

test("if token and session have ended, the page asks to sign in, and resumes where it was", async ({
  openAs,
}) => {
  const { person, roomId } = await enter("carol");
  const carol = await openAs("carol", `/chat/${roomId}`, { url: server.url });
  await waitForChannel(carol, ROOM);
  await revokeTokens(person.userId);
  await carol.context().clearCookies();
  await carol.reload();
  await expect(carol.getByRole("heading", { name: strings.signedOut.title })).toBeVisible();
  await carol.getByRole("button", { name: session.sandbox.signInAs("carol") }).click();
  await waitForChannel(carol, ROOM);
  await expect(carol).toHaveURL(new RegExp(roomId));
});
