import { useIsOnline } from "../data/use-connection.ts";
import { strings } from "../strings.en.ts";
import { TimelineSkeleton } from "./chat-skeleton.tsx";

/**
 * The placeholder of messages that are requested or, without a network, the reason why they do not come yet. With
 * `isHere`, they have come and only have to be prepared.
 */
export function AwaitedMessages({ isHere }: { isHere?: boolean }) {
  const isOnline = useIsOnline();
  return isOnline || isHere ? (
    <TimelineSkeleton className="grow overflow-hidden" />
  ) : (
    <p role="status" className="m-auto p-6">
      {strings.timeline.failed}
    </p>
  );
}
