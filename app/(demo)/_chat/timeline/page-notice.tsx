import { Button } from "../../_ui/button.tsx";
import { strings } from "../strings.en.ts";

/** Over an edge of the timeline: that its next page is on the way, or could not be had. */
export function PageNotice({
  loading,
  isLoading,
  isFailed,
  onRetry,
}: {
  loading: string;
  isLoading: boolean;
  isFailed: boolean;
  onRetry: () => void;
}) {
  if (!isFailed && !isLoading) return null;
  return (
    <div
      role="status"
      className="pointer-events-auto flex max-w-full items-center gap-3 rounded-full border border-line bg-raised py-1 pr-1 pl-4 text-sm text-ink-soft shadow-lift"
    >
      <p className="py-1 pr-3">{isFailed ? strings.timeline.pageFailed : loading}</p>
      {isFailed && (
        <Button size="small" className="shrink-0 rounded-full!" onClick={onRetry}>
          {strings.failed.retry}
        </Button>
      )}
    </div>
  );
}
