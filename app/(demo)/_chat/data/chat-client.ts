import { type ChatClient, createChatClient } from "#lib/chat-client/index.ts";
import { chatSession } from "../../_session/chat-session.ts";
import { wireLog } from "../../_wire/wire-log.ts";

/** The tab's single chat client, recorded by the inspector. */
export const chatClient: ChatClient = createChatClient({
  session: chatSession,
  trace: {
    handshake: (status, ms) =>
      wireLog.addStep({
        kind: "http",
        method: "GET",
        url: "/api/chat/websocket",
        status,
        ms,
        headers: [],
      }),
    frame: (direction, name, seq, text) => wireLog.addFrame({ direction, name, seq, text }),
  },
});
