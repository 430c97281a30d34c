"use client";

import { ServerCrash } from "lucide-react";
import { Button } from "../_ui/button.tsx";
import { Notice } from "../_ui/notice.tsx";
import { messages } from "./messages.en.ts";

/** Stands where something could not be read, with the way to try again. */
export function Unavailable({ onRetry }: { onRetry: () => void }) {
  const { title, text } = messages.failures.offline;
  return (
    <Notice
      tone="danger"
      className="mt-8"
      icon={<ServerCrash aria-hidden size={28} />}
      title={title}
      actions={
        <Button tone="primary" onClick={onRetry}>
          {messages.tryAgain}
        </Button>
      }
    >
      <p>{text}</p>
    </Notice>
  );
}
