import { WebSocket } from "ws";
import { createAskingFetch } from "../../lib/approvals/index.ts";
import { createChatClient } from "../../lib/chat-client/index.ts";
import { createSqliteStore } from "../../lib/store/sqlite-store.ts";
import type { AskingProcessOptions } from "./start-paying-process.ts";

/** The child of `startAskingProcess`. Its first argument contains its options as JSON. */
const { url, dataDir, owner, chatUrl, token, question, ...purse } = JSON.parse(
  process.argv[2] ?? "{}",
) as AskingProcessOptions;

const chat = createChatClient({ baseUrl: chatUrl, token, WebSocket });
const store = createSqliteStore({ dataDir });
const ask = createAskingFetch({
  ...purse,
  ...{ chat, owner, budget: { perDay: "1.000 HBD", store } },
  // The address may be that of a server in front of the shop.
  allowedResourceHosts: ["127.0.0.1"],
});
chat.connect();
const [left] = await ask.unfinished();
process.send?.({ left: left ?? null });
const response = await ask(left?.url ?? url, {}, left ?? question);
process.send?.({ status: response.status });
process.send?.({ text: await response.text() });
// Runs until it is killed.
setInterval(() => {}, 1000);
