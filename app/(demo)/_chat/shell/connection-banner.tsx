"use client";

import { RefreshCw, WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../_ui/button.tsx";
import { useChat } from "../chat-context.ts";
import { chatClient } from "../data/chat-client.ts";
import { useIsOnline } from "../data/use-connection.ts";
import { strings } from "../strings.en.ts";

const PATIENCE_MS = 1_500;

/** Says that the connection is gone, once it has been gone for a moment, and offers to try at once. */
export function ConnectionBanner() {
  const { connection } = useChat();
  const isOnline = useIsOnline();
  const [isShown, setIsShown] = useState(false);
  const isDown = !["open", "closed"].includes(connection) || !isOnline;

  useEffect(() => {
    const timer = setTimeout(() => setIsShown(isDown), isDown ? PATIENCE_MS : 0);
    return () => clearTimeout(timer);
  }, [isDown]);

  return (
    <div role="status">
      {isShown && (
        <div className="flex items-center justify-center gap-3 bg-selected px-4 py-1.5 text-sm">
          <WifiOff aria-hidden size={16} className="shrink-0 text-ink-soft" />
          <span>{isOnline ? strings.connection.waiting : strings.connection.offline}</span>
          <Button size="small" tone="plain" className="shrink-0" onClick={chatClient.reconnect}>
            <RefreshCw aria-hidden size={14} />
            {strings.connection.retry}
          </Button>
        </div>
      )}
    </div>
  );
}
