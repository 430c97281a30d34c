"use client";

import { CloudOff } from "lucide-react";
import { ChatError } from "../../../lib/chat-client/index.ts";
import { Button } from "../_ui/button.tsx";
import { Notice } from "../_ui/notice.tsx";
import { strings } from "./problem-texts.en.ts";

function textsOf(error: unknown) {
  if (!(error instanceof ChatError)) return strings.unavailable;
  if (error.status === 0) return strings.failures.offline;
  return error.status === 429 ? strings.failures.rate_limited : strings.unavailable;
}

/** Replaces content that could not be read: says why, with a button to try again. */
export function Unavailable({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { title, text } = textsOf(error);
  return (
    <Notice
      tone="danger"
      className="mt-8"
      icon={<CloudOff aria-hidden size={28} />}
      title={title}
      actions={
        <Button tone="primary" onClick={onRetry}>
          {strings.tryAgain}
        </Button>
      }
    >
      <p>{text}</p>
      <FailureDetails error={error} />
    </Notice>
  );
}

/** Further information from the server: how long to wait, and the id of the request in its log. */
export function FailureDetails({ error }: { error: unknown }) {
  if (!(error instanceof ChatError)) return null;
  return (
    <>
      {error.retryAfterSeconds !== null && <p className="mt-2">{strings.retryIn(error.retryAfterSeconds)}</p>}
      {error.requestId && (
        <p className="mt-2 font-mono text-xs [overflow-wrap:anywhere]">
          {strings.requestId(error.requestId)}
        </p>
      )}
    </>
  );
}
