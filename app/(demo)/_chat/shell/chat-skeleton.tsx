import { clsx } from "clsx";
import { useParams } from "next/navigation";
import { Skeleton } from "../../_ui/skeleton.tsx";

const rows = ["w-28", "w-40", "w-32", "w-36", "w-24", "w-20"];
const lines = ["w-3/5", "w-2/5", "w-4/5", "w-1/2", "w-2/3"];

/** The chat's placeholder while it opens: on a phone the list, or the channel that the address names. */
export function ChatSkeleton() {
  const { channelId } = useParams<{ channelId?: string }>();
  return (
    <div className="flex h-dvh" aria-busy="true">
      <div
        className={clsx(
          "w-full space-y-4 border-line bg-surface p-4 md:block md:w-72 md:border-e",
          channelId && "hidden",
        )}
      >
        <Skeleton className="h-9 w-full rounded-lg pointer-coarse:h-11" />
        {rows.map((width) => (
          <Skeleton key={width} className={`h-5 ${width}`} />
        ))}
      </div>
      <div className={clsx("grow flex-col md:flex", channelId ? "flex" : "hidden")}>
        <div className="flex h-15 shrink-0 items-center gap-3 border-b border-line bg-surface px-6">
          {channelId && <Skeleton className="h-5 w-40" />}
        </div>
        <TimelineSkeleton className="grow overflow-hidden" />
        {channelId && (
          <div className="column pb-3">
            <Skeleton className="h-17 w-full rounded-xl pointer-coarse:h-28" />
          </div>
        )}
      </div>
    </div>
  );
}

/** The placeholder of the messages while they load. */
export function TimelineSkeleton({ className = "" }: { className?: string }) {
  return (
    <div className={`space-y-6 p-6 ${className}`} aria-hidden>
      {lines.map((width) => (
        <div key={width} className="flex gap-3">
          <Skeleton className="size-9 shrink-0 rounded-full!" />
          <div className="grow space-y-2">
            <Skeleton className="h-4 w-32" />
            <Skeleton className={`h-4 ${width}`} />
          </div>
        </div>
      ))}
    </div>
  );
}
