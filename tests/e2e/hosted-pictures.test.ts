import type { Locator, Page } from "playwright/test";
import { strings } from "../../app/(demo)/_chat/media/strings.en.ts";
import { strings as chat } from "../../app/(demo)/_chat/strings.en.ts";
import { sandboxAccounts } from "../../sandbox/accounts.ts";
import { startImageHost } from "../harness/start-image-host.ts";
import { pngOf } from "../harness/start-picture-server.ts";
import { createApiPerson } from "./support/api-person.ts";
import { composer, timeline, waitForChannel } from "./support/chat-page.ts";
import { type OwnServer, startOwnServer } from "./support/own-server.ts";
import { expect, test } from "./support/test.ts";

const shop = sandboxAccounts.find(({ name }) => name === "shop")?.keys.posting;
const widthOf = (image: Locator) => image.evaluate((element: HTMLImageElement) => element.naturalWidth);

let host: Awaited<ReturnType<typeof startImageHost>>;
let server: OwnServer;
test.beforeAll(async () => {
  host = await startImageHost({ keys: { shop: shop?.publicKey ?? "" } });
  server = await startOwnServer({
    IMAGE_UPLOAD_URL: host.url,
    IMAGE_UPLOAD_ACCOUNT: "shop",
    IMAGE_UPLOAD_KEY: shop?.privateKey ?? "",
    OUTSIDE_PRIVATE_HOSTS: "127.0.0.1",
  });
});
test.afterAll(async () => {
  await server.close();
  await host.close();
});

async function sendPicture(page: Page, title: string, name: string) {
  const opened = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: strings.upload.add }).click();
  await (await opened).setFiles({ name: `${name}.png`, mimeType: "image/png", buffer: pngOf(name) });
  await expect(page.getByRole("list", { name: strings.upload.list })).toBeVisible();
  await composer(page, title).fill(`with ${name}`);
  await page.getByRole("button", { name: chat.composer.send }).click();
}

test("a picture in a public channel is sent to the image host, and one in a private channel is not", async ({
  openAs,
}) => {
  const owner = await createApiPerson(server.url, "alice", server.mattermostUrl);
  const rooms = [];
  for (const [type, name] of [
    ["O", "Open Gallery"],
    ["P", "Closed Gallery"],
  ] as const)
    rooms.push(
      await owner.mattermost("POST", "/channels", {
        team_id: server.teamId,
        name: name.toLowerCase().replace(" ", "-"),
        display_name: name,
        type,
      }),
    );
  const alice = await openAs("alice", `/chat/${rooms[0].id}`, { url: server.url });
  await waitForChannel(alice, "Open Gallery");
  await sendPicture(alice, "Open Gallery", "val[le]y");
  const shown = timeline(alice, "Open Gallery").getByRole("img", { name: "val[le]y" });
  await expect.poll(() => widthOf(shown)).toBe(128);
  // Until its address arrives, the picture is shown from this page.
  await expect.poll(() => shown.getAttribute("src")).toContain(encodeURIComponent(`${host.url}/D`));
  expect(host.pictures()).toHaveLength(1);
  const { posts } = await owner.chat("GET", `/channels/${rooms[0].id}/posts`);
  expect(posts.at(-1).message).toMatch(/^with val\[le\]y\n!\[val\\\[le\\\]y\]\(http/);
  expect(posts.at(-1).file_ids ?? []).toEqual([]);

  await alice.goto(`/chat/${rooms[1].id}`);
  await waitForChannel(alice, "Closed Gallery");
  await sendPicture(alice, "Closed Gallery", "secret");
  const kept = timeline(alice, "Closed Gallery").getByRole("img", { name: "secret.png" });
  await expect.poll(() => widthOf(kept)).toBe(128);
  expect(host.pictures()).toHaveLength(1);
});
