import { Button } from "../_ui/button.tsx";
import { Notice } from "../_ui/notice.tsx";
import { type FailureKind, isUndecided } from "./failure.ts";
import { strings } from "./strings.en.ts";

/** Why a payment brought nothing, and the next step for just this case. */
export function PayFailure({
  failure,
  requestId,
  onRetry,
  onReset,
}: {
  failure: FailureKind;
  requestId: string | null;
  /** Sends the same payment again. */
  onRetry: () => void;
  /** Goes back to the choice of payer and limits. */
  onReset: () => void;
}) {
  const { title, text } = strings.failures[failure];
  const isSame = isUndecided(failure);
  return (
    <Notice
      tone={failure === "cancelled" ? "neutral" : isSame ? "warning" : "danger"}
      title={title}
      className="p-4"
      actions={
        <Button tone="primary" onClick={isSame ? onRetry : onReset}>
          {isSame ? strings.sendAgain : strings.tryAgain}
        </Button>
      }
    >
      <p>{text}</p>
      {requestId && <p className="mt-2 font-mono text-xs break-all">{strings.requestId(requestId)}</p>}
    </Notice>
  );
}
