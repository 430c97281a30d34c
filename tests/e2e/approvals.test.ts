import { texts as spanish } from "../../app/_languages/es/index.ts";
import { strings } from "../../app/(demo)/_chat/message/approval-strings.en.ts";
import { strings as messages } from "../../app/(demo)/_chat/strings.en.ts";
import { strings as session } from "../../app/(demo)/_session/strings.en.ts";
import { strings as wallet } from "../../app/(demo)/_session/wallet-strings.en.ts";
import { approvalText, writeRequest } from "../../lib/approvals/approval-text.ts";
import { startAgent } from "../../lib/cli/start-agent.ts";
import { answerByHiveAuth } from "../harness/start-hiveauth-relay.ts";
import { wifOf } from "../harness/start-shop.ts";
import { messageRow, pressOnMessage, threadPanel, timeline } from "./support/chat-page.ts";
import { createRoom, type Room, say } from "./support/create-room.ts";
import { expectNothingSeriousInBothThemes } from "./support/expect-nothing-serious.ts";
import { installWallet } from "./support/install-wallet.ts";
import { phone } from "./support/open-phone.ts";
import { startServerForWallets } from "./support/start-server-for-wallets.ts";
import { expect, test } from "./support/test.ts";

/** Time for a few blocks, each of which takes three seconds. */
const SETTLED = { timeout: 90_000 };
const PRICE = "0.050 HBD";
const PAYEE = "shop";

let agent: Awaited<ReturnType<typeof startAgent>> | undefined;
test.afterEach(async () => {
  await agent?.close();
  agent = undefined;
});

/** Starts an agent that asks alice, and has dave ask it for an article in a new room. */
async function ask(url: string, account: string, slug = "one-key-for-each-job") {
  const room = await createRoom(url, "Money Room", ["alice", "dave", account]);
  agent = await startAgent({
    ...{ baseUrl: url, account, owner: "alice", tell: () => {} },
    limits: { maxPayment: "0.100 HBD", budget: "0.500 HBD" },
  });
  const root = await say(room, "dave", `@${account} please read ${slug}`);
  return { room, path: `/chat/${room.id}?thread=${root.id}` };
}

test("the owner approves an agent's payment with one button, and the receipt appears in the thread", async ({
  openAs,
  url,
}) => {
  const { path } = await ask(url, "bob");
  const alice = await openAs("alice", path);
  const thread = threadPanel(alice);
  const card = thread.getByRole("region", { name: strings.title("bob") });
  await expect(card).toContainText(PRICE);
  await expect(card).toContainText(`${strings.states.yours}, ${strings.minutesLeft(10)}`);
  await expect(card.getByText("asked by @dave", { exact: true })).toBeVisible();
  const approve = card.getByRole("button", { name: strings.approve(PRICE) });
  await expectNothingSeriousInBothThemes(alice, "a request for money");
  const dave = await openAs("dave", path);
  const seen = threadPanel(dave).getByRole("region", { name: strings.title("bob") });
  await expect(seen.getByRole("status")).toContainText(strings.states.waiting("alice"));
  await expect(seen.getByRole("button")).toHaveCount(0);
  await approve.focus();
  await alice.keyboard.press("Enter");
  await expect(messageRow(thread, strings.approved(PRICE, PAYEE))).toContainText(strings.signed);
  await expect(card.getByRole("status")).toHaveText(strings.states.paid, SETTLED);
  await expect(seen.getByRole("status")).toHaveText(strings.states.paid, SETTLED);
  await expect(messageRow(thread, "Left of the budget: 0.450 HBD.")).toBeVisible();
  await expect(thread).not.toContainText("hivegate-");
});

test("the owner refuses on a phone, and nothing is paid", async ({ openAs, url }) => {
  const { path } = await ask(url, "erin");
  const alice = await openAs("alice", path, {
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  const thread = threadPanel(alice);
  const card = thread.getByRole("region", { name: strings.title("erin") });
  await card.getByRole("button", { name: strings.refuse }).tap();
  await expect(card.getByRole("status")).toHaveText(strings.states.refused);
  await expect(card.getByRole("button")).toHaveCount(0);
  await expect(messageRow(thread, "My owner has not approved the payment.")).toBeVisible();
});

test("Hive Keychain, and a typed posting key, sign an approval too", async ({ openAs }) => {
  const server = await startServerForWallets();
  const { path } = await ask(server.url, "bob", "the-answer-nobody-used");
  const alice = await openAs("alice", null, { url: server.url });
  await installWallet(alice, server.url, { refuses: true });
  await alice.goto(path);
  const card = threadPanel(alice).getByRole("region", { name: strings.title("bob") });
  await card.getByText(strings.otherWay).click();
  await card.getByRole("button", { name: strings.ways.keychain }).click();
  await expect(card.getByRole("alert")).toHaveText(strings.failures.cancelled);
  const key = card.getByLabel(session.key.label);
  const sign = card.getByRole("button", { name: strings.keyButton });
  await key.fill("5 is no key");
  await sign.click();
  await expect(card.getByText(session.key.malformed)).toBeVisible();
  await key.fill(wifOf("alice", "posting"));
  await sign.click();
  await expect(card.getByRole("status")).toHaveText(strings.states.paid, SETTLED);
  await agent?.close();
  await server.close();
});

test("Hive Keychain signs an approval of a user who signed in with it", async ({ openAs }) => {
  const server = await startServerForWallets();
  const { path } = await ask(server.url, "bob", "three-seconds-and-no-fee");
  const alice = await openAs("alice", null, { url: server.url });
  await installWallet(alice, server.url);
  await alice.goto(path);
  const card = threadPanel(alice).getByRole("region", { name: strings.title("bob") });
  await card.getByText(strings.otherWay).click();
  await card.getByRole("button", { name: strings.ways.keychain }).click();
  await expect(card.getByRole("status")).toHaveText(strings.states.paid, SETTLED);
  await agent?.close();
  await server.close();
});

test("a wallet of HiveAuth signs an approval on a phone", async ({ openAs }) => {
  const server = await startServerForWallets();
  const { path } = await ask(server.url, "bob", "the-answer-nobody-used");
  const alice = await openAs("alice", path, { ...phone, url: server.url });
  const card = threadPanel(alice).getByRole("region", { name: strings.title("bob") });
  await card.getByText(strings.otherWay).tap();
  const others = card.getByRole("button", { name: /^Use / });
  await expect(others).toHaveText([strings.ways.hiveauth, strings.ways.keychain]);
  await expectNothingSeriousInBothThemes(alice, "the wallets that sign an approval on a phone");
  const open = card.getByRole("link", { name: wallet.hiveauth.openButton });
  const answerNext = async (approves: boolean) => {
    await card.getByRole("button", { name: strings.ways.hiveauth }).tap();
    return answerByHiveAuth((await open.getAttribute("href")) ?? "", { approves });
  };
  await answerNext(false);
  await expect(card.getByRole("alert")).toHaveText(strings.failures.cancelled);
  await expect(open).toBeHidden();
  const { text } = await answerNext(true);
  expect(text).toMatch(/^Hivegate payment approval/);
  await expect(open).toBeHidden();
  await expect(card.getByRole("status")).toHaveText(strings.states.paid, SETTLED);
  await agent?.close();
  await server.close();
});

/** Writes a request into a room, as anyone can. */
async function forge(url: string, name: string, changes: Partial<Parameters<typeof approvalText>[0]> = {}) {
  const room = await createRoom(url, "Forged Room", ["alice", name]);
  const text = approvalText({
    ...{ chat: new URL(url).origin, id: "0".repeat(32), agent: name, owner: "alice", amount: PRICE },
    ...{ payTo: name, network: "chain:sandbox", resource: "https://shop.example/", request: "0".repeat(64) },
    ...{ expiresAt: new Date(Date.now() + 600_000).toISOString(), ...changes },
  });
  return { ...room, post: await say(room, name, writeRequest(text, "waiting")) };
}

/** Changes a message of one of a room's members. */
async function edit({ id, people }: Room, name: string, postId: string, message: string) {
  await people.get(name)?.chat("PATCH", `/channels/${id}/posts/${postId}`, { message });
}

test("a request in another agent's name, or for another chat, has a warning and no button", async ({
  openAs,
  url,
}) => {
  const room = await forge(url, "bob", { agent: "carol" });
  const alice = await openAs("alice", `/chat/${room.id}`);
  const card = timeline(alice, room.title).getByRole("region", { name: strings.title("carol") });
  await expect(card.getByRole("alert")).toHaveText(strings.notTheAgent("carol"));
  await expect(card.getByRole("button")).toHaveCount(0);
  const other = await forge(url, "bob", { chat: "https://chat.example" });
  await alice.goto(`/chat/${other.id}`);
  const second = timeline(alice, other.title).getByRole("region", { name: strings.title("bob") });
  await expect(second.getByRole("alert")).toHaveText(strings.otherChat("https://chat.example"));
  await expect(second.getByRole("button")).toHaveCount(0);
});

test("a request that was changed after it was written has a warning and no button", async ({
  openAs,
  url,
}) => {
  const room = await forge(url, "bob");
  const alice = await openAs("alice", `/chat/${room.id}`);
  const card = timeline(alice, room.title).getByRole("region", { name: strings.title("bob") });
  const approve = card.getByRole("button", { name: strings.approve(PRICE) });
  await expect(approve).toBeVisible();
  await edit(room, "bob", room.post.id, room.post.message.replaceAll(PRICE, "0.060 HBD"));
  await expect(card).toContainText("0.060 HBD");
  await expect(card.getByRole("alert")).toHaveText(strings.changed);
  await expect(card.getByRole("button")).toHaveCount(0);
  await expect(timeline(alice, room.title)).toContainText(`(${messages.message.edited})`);
});

test("a message that only contains an approval's block is shortened, and marked once it is edited", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Fence Room", ["alice", "bob"]);
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`).join("\n");
  const { id, message } = await say(room, "bob", `${lines}\n\`\`\`hivegate-approval\nnothing\n\`\`\``);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const row = messageRow(timeline(alice, room.title), "line 1");
  await expect(row).not.toContainText("line 39");
  const edited = `(${messages.message.edited})`;
  await expect(row).not.toContainText(edited);
  await edit(room, "bob", id, `${message} at all`);
  await expect(row).toContainText(edited);
  await pressOnMessage(row, messages.message.showMore);
  await expect(row).toContainText("line 39");
});

test("a request loses its buttons when its ten minutes have passed", async ({ openAs, url }) => {
  const room = await forge(url, "bob");
  const alice = await openAs("alice", null);
  await alice.clock.install();
  await alice.goto(`/chat/${room.id}`);
  const card = timeline(alice, room.title).getByRole("region", { name: strings.title("bob") });
  await expect(card.getByRole("button", { name: strings.approve(PRICE) })).toBeVisible();
  await alice.clock.fastForward(600_000);
  await expect(card.getByRole("status")).toHaveText(strings.states.late);
  await expect(card.getByRole("button")).toHaveCount(0);
});

test("a request reads in Spanish, with its signed text unchanged", async ({ openAs, url }) => {
  const room = await forge(url, "bob", { reason: "for the report" });
  // Signs in on the English page first.
  await openAs("alice", null);
  const alice = await openAs("alice", `/chat/${room.id}`, { locale: "es-ES" });
  const { approval } = spanish;
  const card = alice.getByRole("region", { name: "bob pide dinero" });
  await expect(card.getByRole("button", { name: `Aprobar ${PRICE}` })).toBeVisible();
  await expect(card.getByText("for the report", { exact: true })).toBeVisible();
  await card.getByText(String(approval.signedText)).click();
  await expect(card.locator("pre")).toContainText("Hivegate payment approval, version 1");
});
