import type { ChatSession } from "../../../lib/chat-client/index.ts";

/** A gateway, as far as a sign-in needs it: a chat session or a chat client. */
export type Gateway = Pick<ChatSession, "baseUrl" | "auth" | "request"> & {
  /** Host and port of its `PUBLIC_URL`, if `baseUrl` differs from it. */
  host?: string;
};
