import { openAssets } from "./assets.ts";
import { build } from "./worker.ts";

const MAX_PAGES = 20;

/** Returns whether a path is a page of the chat that this build stores. */
export function isChatPage(pathname: string): boolean {
  return build !== "" && /^\/chat(\/|$)/.test(pathname);
}

/** Stores a page of the chat, and drops the oldest beyond the limit. */
export async function storeChatPage(pathname: string, response: Response): Promise<void> {
  try {
    const cache = await openAssets();
    await cache.delete(pathname);
    await cache.put(pathname, response);
    const pages = (await cache.keys()).filter(({ url }) => new URL(url).pathname.startsWith("/chat"));
    await Promise.all(pages.slice(0, -MAX_PAGES).map((page) => cache.delete(page)));
  } catch {
    // If the disk is full, the stored pages stay.
  }
}

/** Reads the stored page of a chat address, if the chat has stored messages to show in it. */
export async function readChatPage(pathname: string): Promise<Response | undefined> {
  if (!isChatPage(pathname) || !(await caches.match("/kept-chat"))) return undefined;
  return (await openAssets()).match(pathname);
}
