import { build } from "esbuild";
import { createApiPerson } from "./support/api-person.ts";
import { createRoom, say } from "./support/create-room.ts";
import { expect, test } from "./support/test.ts";

// Serves the example from the gateway's origin, whose policy blocks scripts from elsewhere.
test.use({ bypassCSP: true });

/** Returns the script of a page that contains only the example. */
const entry = (token: string, channelId: string) => `
  import { createRoot } from "react-dom/client";
  import { createChatClient } from "./lib/chat-client/index.ts";
  import { Channel } from "./examples/chat-react/channel.tsx";
  const chat = createChatClient({ baseUrl: location.origin, token: "${token}" });
  createRoot(document.getElementById("root")).render(<Channel chat={chat} channelId="${channelId}" />);`;

test("the React example shows new, edited and deleted messages of a channel, and sends messages", async ({
  page,
  url,
}) => {
  const room = await createRoom(url, "React Example", ["alice", "bob"]);
  const alice = await createApiPerson(url, "alice");
  await say(room, "bob", "was here before");
  const { outputFiles } = await build({
    stdin: { contents: entry(alice.token, room.id), resolveDir: process.cwd(), loader: "tsx" },
    bundle: true,
    write: false,
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  // Starts from a real answer of the server: a fulfilled page can't open a websocket, and Firefox shows JSON
  // in a viewer.
  await page.goto(`${url}/license.txt`);
  await page.setContent('<div id="root"></div>');
  await page.addScriptTag({ content: outputFiles[0]?.text ?? "" });
  await expect(page.getByText("was here before")).toBeVisible();

  const post = await say(room, "bob", "comes now");
  await expect(page.getByText("comes now")).toBeVisible();
  const bob = await createApiPerson(url, "bob");
  const address = `/channels/${room.id}/posts/${post.id}`;
  await bob.chat("PATCH", address, { message: "says otherwise" });
  await expect(page.getByText("says otherwise")).toBeVisible();
  await expect(page.getByText("comes now")).toHaveCount(0);
  await bob.chat("DELETE", address);
  await expect(page.getByText("says otherwise")).toHaveCount(0);

  await page.getByRole("textbox", { name: "Message" }).fill("hello from React");
  await page.keyboard.press("Enter");
  await expect(page.getByText("hello from React")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("");
  await expect(page.getByRole("alert")).toHaveCount(0);
});
