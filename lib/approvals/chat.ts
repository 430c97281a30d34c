import type { ChatClient } from "../chat-client/index.ts";

/** The parts of a chat client that asking needs. */
export type ApprovalChat = Pick<ChatClient, "baseUrl" | "posts" | "users" | "on">;

/** Where a question is written: in a thread, or in the channel itself. */
export type Place = { channelId: string; rootId?: string | undefined };
