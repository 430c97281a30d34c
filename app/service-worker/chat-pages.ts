import { SENT_HEADER, SIGN_IN_HEADER } from "../(demo)/_ui/kept-marks.ts";
import { openAssets, readAsset } from "./assets.ts";
import { build } from "./worker.ts";

/** A page comes as a document, or as a component that Next's router puts into the open document. */
type Form = "document" | "component";

const COMPONENT = "text/x-component";
const CHANNEL = /^\/chat\/([a-z0-9]{26})$/;
/**
 * Stands for the channel's id in a stored page, which is the same for all channels. No channel has it, but it is as
 * long as each id, because a page counts the bytes of its texts.
 */
const ANY_CHANNEL = "anyhivegatechannelanywhere";
const paths = ["/chat", `/chat/${ANY_CHANNEL}`];

const channelOf = (pathname: string) => CHANNEL.exec(pathname)?.[1];
const keyOf = (form: Form, pathname: string) =>
  `/${form}${pathname.replace(CHANNEL, `/chat/${ANY_CHANNEL}`)}`;

/** Returns whether a path is a page of the chat that this build stores. */
export function isChatPage(pathname: string): boolean {
  return build !== "" && /^\/chat(\/|$)/.test(pathname);
}

/** Returns whether Next's router requests a page of the chat to show it. */
export function isChatComponent({ headers }: Request, pathname: string): boolean {
  return headers.get("rsc") === "1" && !headers.has("next-router-prefetch") && isChatPage(pathname);
}

/**
 * Stores a page of the chat and its scripts, in place of the former one, unless it holds messages, asks to sign in, or is
 * another build's, as during an update.
 */
export async function storeChatPage(form: Form, pathname: string, response: Response): Promise<void> {
  const { ok, redirected, headers } = response;
  const isElsewhere = form === "document" && redirected;
  if (!ok || isElsewhere || headers.has(SENT_HEADER) || headers.has(SIGN_IN_HEADER)) return;
  if ((form === "component") !== (headers.get("content-type") === COMPONENT)) return;
  try {
    const text = await response.text();
    // In a document this is part of a script's string.
    if (!text.replaceAll("\\", "").includes(`"b":"${build}"`)) return;
    const scripts = new Set(text.match(/\/_next\/static\/[^"]+\.js/g));
    await Promise.all([...scripts].map((script) => readAsset(new Request(script))));
    const page = text.replaceAll(channelOf(pathname) ?? ANY_CHANNEL, ANY_CHANNEL);
    await (await openAssets()).put(keyOf(form, pathname), new Response(page, response));
  } catch {
    // If the server gets unreachable or the disk is full, the stored pages stay.
  }
}

/** Stores the components of the chat's pages, unless they are stored. */
export async function storeComponents(): Promise<void> {
  const cache = await openAssets();
  for (const path of paths) {
    if (await cache.match(keyOf("component", path))) continue;
    try {
      await storeChatPage("component", path, await fetch(path, { headers: { rsc: "1" } }));
    } catch {
      // The next request tries again.
    }
  }
}

/** Reads the stored page of a chat address, if the chat has stored messages to show in it. */
export async function readChatPage(form: Form, pathname: string): Promise<Response | undefined> {
  if (!isChatPage(pathname) || !(await caches.match("/kept-chat"))) return undefined;
  const stored = await (await openAssets()).match(keyOf(form, pathname));
  const id = channelOf(pathname);
  if (!stored || id === undefined) return stored;
  return new Response((await stored.text()).replaceAll(ANY_CHANNEL, id), stored);
}
