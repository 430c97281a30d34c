import { strings } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { startTranslator } from "../harness/start-translator.ts";
import { createApiPerson } from "./support/api-person.ts";
import {
  channelLink,
  chooseOnMessage,
  messageRow,
  pressOnMessage,
  timeline,
  write,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { type OwnServer, startOwnServer } from "./support/own-server.ts";
import { expect, test } from "./support/test.ts";

const { translation } = strings;

test.describe("with a translator", () => {
  let translator: Awaited<ReturnType<typeof startTranslator>>;
  let server: OwnServer;
  test.beforeAll(async () => {
    translator = await startTranslator();
    server = await startOwnServer({ TRANSLATE_URL: translator.url });
  });
  test.afterAll(async () => {
    await server.close();
    await translator.close();
  });

  test("a message can be read in the reader's language and in the original, and a failure is shown", async ({
    openAs,
  }) => {
    const alice = await createApiPerson(server.url, "alice", server.mattermostUrl);
    const { id } = await alice.mattermost("POST", "/channels", {
      team_id: server.teamId,
      name: "tower-of-babel",
      display_name: "Tower of Babel",
      type: "O",
    });
    const page = await openAs("alice", `/chat/${id}`, { url: server.url });
    await write(page, "Tower of Babel", "Guten Morgen");
    const row = timeline(page, "Tower of Babel").locator("[data-post]").filter({ hasText: "Guten Morgen" });
    await expect(row).toBeVisible();
    translator.answerNext(() => new Response("{}", { status: 500 }));
    await chooseOnMessage(page, row, translation.translate);
    await expect(page.locator("[data-sonner-toast]")).toBeVisible();
    await chooseOnMessage(page, row, translation.translate);
    await expect(row).toContainText("[en] Guten Morgen");
    await expect(row).toContainText(translation.shownFrom("German"));
    await expectNothingSerious(page, "translated message");
    await row.getByRole("button", { name: translation.original }).click();
    await expect(row).not.toContainText("[en]");
    await expect(row).toContainText("Guten Morgen");
  });

  test("the next user who signs in in the tab sees the original messages", async ({ openAs }) => {
    const [alice, bob] = [
      await createApiPerson(server.url, "alice", server.mattermostUrl),
      await createApiPerson(server.url, "bob", server.mattermostUrl),
    ];
    const { id } = await alice.mattermost("POST", "/channels", {
      team_id: server.teamId,
      name: "two-readers",
      display_name: "Two Readers",
      type: "O",
    });
    await bob.chat("POST", `/channels/${id}/join`, {});
    const page = await openAs("alice", `/chat/${id}`, { url: server.url });
    await write(page, "Two Readers", "Guten Abend");
    const row = messageRow(timeline(page, "Two Readers"), "Guten Abend");
    await chooseOnMessage(page, row, translation.translate);
    await expect(timeline(page, "Two Readers")).toContainText("[en] Guten Abend");
    await page.getByRole("button", { name: strings.account.menu("alice") }).click();
    await page.getByRole("menuitem", { name: strings.account.signOut }).click();
    await page.getByRole("button", { name: session.sandbox.signInAs("bob") }).click();
    await channelLink(page, "Two Readers").click();
    await expect(timeline(page, "Two Readers")).toContainText("Guten Abend");
    await expect(timeline(page, "Two Readers")).not.toContainText("[en]");
  });
});

test("without a translator a message's menu does not offer translation", async ({ openAs, url }) => {
  const room = await createRoom(url, "One Tongue", ["alice"]);
  await say(room, "alice", "Said once");
  const page = await openAs("alice", `/chat/${room.id}`);
  await pressOnMessage(messageRow(timeline(page, room.title), "Said once"), strings.message.more);
  await expect(page.getByRole("menuitem", { name: strings.message.copyText })).toBeVisible();
  await expect(page.getByRole("menuitem", { name: translation.translate })).toBeHidden();
});
