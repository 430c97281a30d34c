import dhive from "@hiveio/dhive";
import { createChatClient } from "hivegate/chat";
import { WebSocket } from "ws";

const [baseUrl = "http://127.0.0.1:3000", username = "carol"] = process.argv.slice(2);
/** In the sandbox, every account's password is "sandbox". */
const key = dhive.PrivateKey.fromLogin(username, "sandbox", "posting");
const sign = (message: string) => key.sign(dhive.cryptoUtils.sha256(message)).toString();

const chat = createChatClient({ baseUrl, login: { username, sign }, WebSocket });
const { user } = await chat.me();
chat.on("posted", ({ post, senderName, mentions }) => {
  if (!mentions.includes(user.id) || post.userId === user.id) return;
  const message = `${senderName} You wrote ${post.message.split(/\s+/).length} words.`;
  chat.posts.create(post.channelId, { message, rootId: post.rootId || post.id }).catch(console.error);
});
chat.on("error", console.error);
chat.on("state", (state) => console.log(`The connection is ${state}.`));
chat.connect();
