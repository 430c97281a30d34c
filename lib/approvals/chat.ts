import type { ChatClient } from "../chat-client/index.ts";

/** The parts of a chat client that asking needs. */
export type ApprovalChat = Pick<ChatClient, "baseUrl" | "posts" | "users" | "on">;

/** The place of a question: a thread, or the channel itself. */
export type Place = { channelId: string; rootId?: string | undefined };
