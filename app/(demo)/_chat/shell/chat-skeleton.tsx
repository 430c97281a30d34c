import { clsx } from "clsx";
import { useParams } from "next/navigation";
import { Skeleton } from "../../_ui/skeleton.tsx";

const rows = ["w-28", "w-40", "w-32", "w-36", "w-24", "w-32"];
const lines = ["w-3/5", "w-2/5", "w-4/5", "w-1/2", "w-2/3"];

/** The chat's shape while it is being opened: on a phone the list, or the channel that the address names. */
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
        <Skeleton className="h-9 w-full rounded-lg" />
        {rows.map((width) => (
          <Skeleton key={width} className={`h-5 ${width}`} />
        ))}
      </div>
      <TimelineSkeleton className={clsx("grow md:block", !channelId && "hidden")} />
    </div>
  );
}

/** The messages' shape while they are being loaded. */
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
