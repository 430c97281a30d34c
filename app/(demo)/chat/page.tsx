"use client";

import { MessagesSquare } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { usePanel } from "../_chat/chat-context.ts";
import { firstChannel } from "../_chat/data/channels.ts";
import { useChannels } from "../_chat/data/use-channels.ts";
import { TimelineSkeleton } from "../_chat/shell/chat-skeleton.tsx";
import { strings } from "../_chat/strings.en.ts";
import { Button } from "../_ui/button.tsx";
import { Notice } from "../_ui/notice.tsx";

const WIDE = "(min-width: 48rem)";

/** The page for an address without a channel: a wide screen opens one, a phone shows the list. */
export default function ChatPage() {
  const router = useRouter();
  const { open } = usePanel();
  const { data, isError } = useChannels();
  const firstId = firstChannel(data ?? [])?.id;

  useEffect(() => {
    if (firstId && window.matchMedia(WIDE).matches) router.replace(`/chat/${firstId}`);
  }, [firstId, router]);

  // If a channel is about to open, the choice would only flash up.
  if (firstId || !(data || isError)) return <TimelineSkeleton className="grow" />;
  return (
    <div className="m-auto max-w-md p-6">
      <Notice
        heading="h1"
        icon={<MessagesSquare aria-hidden size={28} />}
        title={isError ? strings.channel.choose : strings.sidebar.empty}
        actions={
          <Button tone="primary" onClick={() => open("browse")}>
            {strings.sidebar.browse}
          </Button>
        }
      >
        <p>{isError ? strings.channel.chooseHint : strings.channel.findHint}</p>
      </Notice>
    </div>
  );
}
