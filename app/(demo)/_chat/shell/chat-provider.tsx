"use client";

import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { sharedTipCounts, useFreshTipsOnReturn } from "../../_pay/tip-counts.ts";
import { type Chat, ChatContext } from "../chat-context.ts";
import type { User } from "../data/model.ts";
import { notify } from "../data/notifications.ts";
import { createOutbox } from "../data/outbox.ts";
import { createPresence } from "../data/presence.ts";
import { useRemovals } from "../data/removals.ts";
import { createTypingList } from "../data/typing.ts";
import { useConnection } from "../data/use-connection.ts";
import { useSender } from "../data/use-sender.ts";
import { useFreshPresence } from "../people/presence.tsx";
import { ChatShell } from "./chat-shell.tsx";

/** Holds what an open chat shares, and opens its one connection. */
export function ChatProvider({ me, children }: { me: User; children: ReactNode }) {
  const router = useRouter();
  const [outbox] = useState(() => createOutbox(me.username));
  const [typing] = useState(() => createTypingList());
  const [presence] = useState(() => createPresence());
  const reading = useRef<string | null>(null);
  useFreshTipsOnReturn();
  const { send, resend, tellConnected } = useSender(me, outbox);
  const removals = useRemovals();

  const connection = useConnection({
    me,
    outbox,
    typing,
    presence,
    isReading: (channelId) => reading.current === channelId && document.hasFocus(),
    onArrival: sharedTipCounts.begin,
    onNews: (post, channel, senderName, isMention) => {
      if (isMention)
        notify(post, channel, senderName, () => router.push(`/chat/${channel.id}?post=${post.id}`));
    },
  });

  useFreshPresence(presence, connection);
  useEffect(() => tellConnected(connection === "open"), [tellConnected, connection]);

  const chat = useMemo<Chat>(
    () => ({
      me,
      connection,
      outbox,
      removals,
      typing,
      presence,
      setReading: (channelId) => {
        reading.current = channelId;
      },
      send,
      resend,
    }),
    [me, connection, outbox, removals, typing, presence, send, resend],
  );

  return (
    <ChatContext.Provider value={chat}>
      <ChatShell>{children}</ChatShell>
    </ChatContext.Provider>
  );
}
