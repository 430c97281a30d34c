import { NEXT_PAGE, SMALLEST_PAGE } from "./timeline-pages.ts";

const CHANNEL = /^\/chat\/([a-z0-9]{26})$/;
const LINKED = /[?&]post=([a-z0-9]{26})(?:&|$)/;

/** The channel and the post that an address names. */
type Place = { channelId: string | null; anchor: string | null };

/**
 * Returns the channel and the post that an address of the chat names, and the gateway's paths for the data
 * shown first there: the user, the channels, and the messages of the channel.
 */
export function openingAt(pathname: string, search: string): Place & { paths: string[] } {
  const channelId = CHANNEL.exec(pathname)?.[1] ?? null;
  const anchor = LINKED.exec(search)?.[1] ?? null;
  const messages = channelId && (anchor ? pathAround(channelId, anchor) : latestPath(channelId));
  return {
    channelId,
    anchor,
    paths: ["/api/chat/me", "/api/chat/channels", ...(messages ? [messages] : [])],
  };
}

/** Returns the path of a channel's latest messages, as requested early. */
export const latestPath = (channelId: string): string =>
  `/api/chat/channels/${channelId}/posts?per_page=${SMALLEST_PAGE}`;

const pathAround = (channelId: string, postId: string): string =>
  `/api/chat/channels/${channelId}/posts?around=${postId}&per_page=${NEXT_PAGE}`;
