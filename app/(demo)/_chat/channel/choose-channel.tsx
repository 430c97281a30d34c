"use client";

import { MessagesSquare } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { Button } from "../../_ui/button.tsx";
import { Notice } from "../../_ui/notice.tsx";
import { useChannels } from "../data/use-channels.ts";
import { messages } from "../messages.en.ts";
import { usePanel } from "../shell/panel-context.ts";
import { sectionsOf } from "../sidebar/sections.ts";

const WIDE = "(min-width: 48rem)";

/** Where no channel is chosen: a wide screen opens the first one, a phone shows the list. */
export function ChooseChannel() {
  const router = useRouter();
  const { open } = usePanel();
  const { data } = useChannels();
  const firstId = sectionsOf(data ?? [])[0]?.channels[0]?.id;

  useEffect(() => {
    if (firstId && window.matchMedia(WIDE).matches) router.replace(`/chat/${firstId}`);
  }, [firstId, router]);

  return (
    <div className="m-auto max-w-md p-6">
      <Notice
        icon={<MessagesSquare aria-hidden size={28} />}
        title={messages.channel.choose}
        actions={
          <Button tone="primary" onClick={() => open("finder")}>
            {messages.sidebar.browse}
          </Button>
        }
      >
        <p>{messages.channel.chooseHint}</p>
      </Notice>
    </div>
  );
}
