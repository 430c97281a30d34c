import { worker } from "./worker.ts";

/** Opens the path of the message in a notification. A tab with the chat shows it without loading. */
export async function openMessage(path: string): Promise<unknown> {
  const tabs = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const chat = tabs.find(({ url }) => /^\/chat(\/|$)/.test(new URL(url).pathname));
  if (!chat) return worker.clients.openWindow(path);
  chat.postMessage({ open: path });
  return chat.focus();
}
