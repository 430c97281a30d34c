import { ChatError } from "../../../lib/chat-client/index.ts";
import { strings } from "./strings.en.ts";

/** What the server said besides: how long to wait, and the number by which its log knows the request. */
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
