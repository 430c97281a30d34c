import { useIsOnline } from "../data/use-connection.ts";
import { strings } from "../strings.en.ts";
import { TimelineSkeleton } from "./chat-skeleton.tsx";

/** The placeholder of messages that are requested or, without a network, the reason why they do not come yet. */
export const AwaitedMessages = () =>
  useIsOnline() ? (
    <TimelineSkeleton className="grow overflow-hidden" />
  ) : (
    <p role="status" className="m-auto max-w-md p-6">
      {strings.timeline.loadsLater}
    </p>
  );
