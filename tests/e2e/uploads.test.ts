import type { Locator, Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/media/strings.en.ts";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { problemTexts } from "../../app/(demo)/_session/problem-texts.en.ts";
import { pngOf } from "../harness/start-picture-server.ts";
import { readSandbox } from "./support/api-person.ts";
import {
  channelLink,
  composer,
  messageRow,
  pressOnMessage,
  replyBox,
  threadPanel,
  timeline,
  waitForChannel,
} from "./support/chat-page.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expectNothingSerious } from "./support/expect-nothing-serious.ts";
import { handFile } from "./support/hand-file.ts";
import { expect, test } from "./support/test.ts";

const { upload } = strings;
const widthOf = (image: Locator) => image.evaluate((element: HTMLImageElement) => element.naturalWidth);
const fileOf = (name: string, mimeType = "image/png", buffer = pngOf(name)) => ({ name, mimeType, buffer });
const tooManyBytes = Buffer.alloc(10 * 1024 * 1024 + 1);

/** Chooses files with the composer's button. */
async function choose(place: Locator, page: Page, files: ReturnType<typeof fileOf>[]) {
  const opened = page.waitForEvent("filechooser");
  await place.getByRole("button", { name: upload.add }).click();
  await (await opened).setFiles(files);
}

/** Holds picture uploads until the returned function is called. */
async function holdUploads(page: Page): Promise<() => void> {
  let go = () => {};
  const promise = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route(/\/channels\/\w+\/files/, async (route) => {
    await promise;
    await route.continue();
  });
  return go;
}

test("a message waits for its pictures to upload while another channel is open, and others then see them", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Upload Room", ["alice", "bob"]);
  const other = await createRoom(url, "Elsewhere Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  const bob = await openAs("bob", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  await waitForChannel(bob, room.title);
  const go = await holdUploads(alice);
  const main = alice.getByRole("region", { name: room.title });
  await choose(main, alice, [fileOf("valley.png"), fileOf("hill.png")]);
  const tray = alice.getByRole("list", { name: upload.list });
  await expect(tray.getByRole("progressbar", { name: upload.progress("valley") })).toBeVisible();
  await expect(tray.getByRole("img", { name: "hill" })).toBeVisible();
  await expectNothingSerious(alice, "pictures under way");
  await tray.getByRole("textbox", { name: upload.name(1) }).fill("The valley");
  await composer(alice, room.title).fill("Two pictures");
  await composer(alice, room.title).press("Enter");
  await expect(alice.getByText(upload.waiting)).toBeVisible();
  await expect(composer(alice, room.title)).toHaveValue("Two pictures");
  await channelLink(alice, other.title).click();
  await waitForChannel(alice, other.title);
  go();
  await expect(messageRow(timeline(bob, room.title), "Two pictures")).toBeVisible();
  await channelLink(alice, room.title).click();
  await waitForChannel(alice, room.title);
  await expect(tray).toHaveCount(0);
  for (const page of [alice, bob]) {
    const row = messageRow(timeline(page, room.title), "Two pictures");
    for (const name of ["The valley.png", "hill.png"])
      await expect.poll(() => widthOf(row.getByRole("img", { name, exact: true }))).toBe(128);
  }
  await expect(composer(alice, room.title)).toHaveValue("");
  await messageRow(timeline(bob, room.title), "Two pictures")
    .getByRole("button", { name: strings.picture.enlarge("hill.png") })
    .click();
  const large = bob.getByRole("dialog", { name: strings.picture.label("hill.png") });
  await expect.poll(() => widthOf(large.getByRole("img"))).toBe(128);
  const saved = bob.waitForEvent("download");
  await large.getByRole("link", { name: strings.picture.download }).click();
  expect((await saved).suggestedFilename()).toBe("hill.png");
  await bob.keyboard.press("Escape");
  await expect(large).toHaveCount(0);

  // A message without text is described by the name of its picture.
  await handFile(composer(bob, room.title), "paste", "beach.png");
  await composer(bob, room.title).press("Enter");
  const told = "Picture: beach.png";
  await expect(
    alice.locator("[aria-live=polite]").filter({ hasText: chat.timeline.from("bob", told) }),
  ).toBeAttached();
  const path = `/channels/${room.id}/posts`;
  const page = await room.people.get("bob")?.chat("GET", path);
  await room.people.get("bob")?.chat("POST", `${path}/${page?.posts.at(-1).id}/pin`, { pin: true });
  await alice.getByRole("button", { name: chat.pinned.count(1) }).click();
  await expect(alice.getByRole("list", { name: chat.pinned.title })).toContainText(told);
  await alice.keyboard.press("Control+Shift+F");
  await alice.getByRole("searchbox", { name: chat.search.label }).fill(`from:bob in:${room.name}`);
  await expect(alice.getByRole("list", { name: chat.search.title })).toContainText(told);
});

test("pictures can be pasted and dropped, including in threads and without text", async ({ openAs, url }) => {
  const room = await createRoom(url, "Paste Room", ["alice"]);
  await say(room, "alice", "the root");
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const tray = alice.getByRole("list", { name: upload.list });
  await handFile(composer(alice, room.title), "paste", "image.png");
  await expect(tray.getByRole("img", { name: upload.untitled })).toBeVisible();
  await handFile(timeline(alice, room.title), "drop", "dropped.png");
  await expect(tray.getByRole("img")).toHaveCount(2);
  await tray.getByRole("button", { name: upload.remove(upload.untitled) }).click();
  await expect(tray.getByRole("img")).toHaveCount(1);
  await composer(alice, room.title).press("Enter");
  const picture = timeline(alice, room.title).getByRole("img", { name: "dropped.png" });
  await expect.poll(() => widthOf(picture)).toBe(128);

  const root = messageRow(timeline(alice, room.title), "the root");
  await pressOnMessage(root, chat.message.reply);
  await expect(replyBox(alice)).toBeVisible();
  const go = await holdUploads(alice);
  await handFile(threadPanel(alice), "drop", "reply.png");
  await expect(threadPanel(alice).getByRole("list", { name: upload.list }).getByRole("img")).toHaveCount(1);
  await replyBox(alice).press("Enter");
  await expect(threadPanel(alice).getByText(upload.waiting)).toBeVisible();
  await composer(alice, room.title).focus();
  go();
  await expect
    .poll(() => widthOf(threadPanel(alice).getByRole("log").getByRole("img", { name: "reply.png" })))
    .toBe(128);
  await expect(composer(alice, room.title)).toBeFocused();
});

test("an oversized or unsuitable file is refused, and a failed picture keeps the text and can be sent again", async ({
  openAs,
  url,
}) => {
  const room = await createRoom(url, "Failing Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const main = alice.getByRole("region", { name: room.title });
  await choose(main, alice, [fileOf("huge.png", "image/png", tooManyBytes)]);
  await expect(alice.getByText(upload.tooLarge("huge.png"))).toBeVisible();
  await choose(main, alice, [fileOf("paper.pdf", "application/pdf")]);
  await expect(alice.getByText(upload.wrongType("paper.pdf"))).toBeVisible();
  await expect(alice.getByRole("list", { name: upload.list })).toHaveCount(0);

  await alice.route(/\/channels\/\w+\/files/, (route) => route.abort());
  await choose(main, alice, [fileOf("valley.png")]);
  const tray = alice.getByRole("list", { name: upload.list });
  const told = alice.getByRole("alert").filter({ hasText: "valley" });
  await expect(told).toHaveText(upload.failed("valley", problemTexts.problems.offline ?? ""));
  await expectNothingSerious(alice, "a picture that failed");
  await composer(alice, room.title).fill("kept");
  await composer(alice, room.title).press("Enter");
  await expect(alice.getByText(upload.blocked)).toBeVisible();
  await expect(composer(alice, room.title)).toHaveValue("kept");
  await alice.unroute(/\/channels\/\w+\/files/);
  for (const [status, code, told] of [
    [
      413,
      "payload_too_large",
      "valley was not sent. It is larger than the server accepts. Make it smaller, then add it again.",
    ],
    [
      415,
      "unsupported_media_type",
      "valley was not sent. It is not a PNG, JPEG, GIF, WebP or AVIF picture. Choose another one.",
    ],
  ] as const) {
    const json = { error: "The server's own words.", code };
    await alice.route(/\/channels\/\w+\/files/, (route) => route.fulfill({ status, json }), { times: 1 });
    await tray.getByRole("button", { name: upload.retry("valley") }).click();
    await expect(alice.getByText(told, { exact: true })).toBeVisible();
  }
  await tray.getByRole("button", { name: upload.retry("valley") }).click();
  await expect(tray.getByRole("button", { name: upload.remove("valley") })).toBeVisible();
  await expect(told).toHaveCount(0);
  await composer(alice, room.title).press("Enter");
  const row = messageRow(timeline(alice, room.title), "kept");
  await expect.poll(() => widthOf(row.getByRole("img", { name: "valley.png" }))).toBe(128);
});

test("one note names the files that are refused together", async ({ openAs, url }) => {
  const room = await createRoom(url, "Refusing Room", ["alice"]);
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const main = alice.getByRole("region", { name: room.title });
  await choose(main, alice, [
    fileOf("huge.png", "image/png", tooManyBytes),
    fileOf("vast.png", "image/png", tooManyBytes),
    ...["paper.pdf", "notes.pdf", "plan.pdf", "map.pdf", "bill.pdf"].map((name) =>
      fileOf(name, "application/pdf"),
    ),
  ]);
  const note = alice.locator("[data-sonner-toast]");
  await expect(note).toContainText(upload.tooLarge("huge.png, vast.png"));
  await expect(note).toContainText(upload.wrongType("paper.pdf, notes.pdf, plan.pdf, +2"));
  await expect(note).toHaveCount(1);
});

test("files and cards of other clients are displayed", async ({ openAs, url }) => {
  const room = await createRoom(url, "Files Room", ["alice", "bob"]);
  const bob = room.people.get("bob");
  await bob?.mattermost("POST", "/posts", {
    channel_id: room.id,
    message: "build report",
    props: {
      attachments: [
        {
          color: "danger",
          pretext: "Look at this",
          author_name: "Build robot",
          title: "Build 42 failed",
          title_link: "https://build.example.com/42",
          text: "Two tests are **red**.",
          fields: [
            { title: "Branch", value: "main", short: true },
            { title: "Took", value: "3 minutes", short: true },
          ],
          footer: "Build farm",
        },
        { fallback: "only words", title_link: "javascript:alert(1)" },
      ],
    },
  });
  const query = new URLSearchParams({ channel_id: room.id, filename: "report.pdf" });
  const sent = await fetch(`${(await readSandbox(url)).chat?.url}/files?${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${bob?.token}` },
    body: "%PDF-1.4 not really",
  });
  const { file_infos } = (await sent.json()) as { file_infos: Array<{ id: string }> };
  await bob?.mattermost("POST", "/posts", {
    channel_id: room.id,
    message: "the paper",
    file_ids: [file_infos[0]?.id],
  });
  const alice = await openAs("alice", `/chat/${room.id}`);
  await waitForChannel(alice, room.title);
  const paper = messageRow(timeline(alice, room.title), "the paper");
  await expect(paper.getByText(`PDF · ${strings.file.size(19)}`)).toBeVisible();
  const saved = alice.waitForEvent("download");
  await paper.getByRole("link", { name: strings.file.download("report.pdf") }).click();
  expect((await saved).suggestedFilename()).toBe("report.pdf");
  const row = messageRow(timeline(alice, room.title), "build report");
  for (const text of ["Look at this", "Build robot", "3 minutes", "Build farm", "only words"])
    await expect(row.getByText(text, { exact: true })).toBeVisible();
  await expect(row.getByRole("link", { name: "Build 42 failed" })).toHaveAttribute(
    "href",
    "https://build.example.com/42",
  );
  await expect(row.locator("strong")).toHaveText("red");
  await expect(row.locator("a[href^='javascript']")).toHaveCount(0);
  await expectNothingSerious(alice, "a card");
});
