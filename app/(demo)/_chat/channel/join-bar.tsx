"use client";

import { toast } from "sonner";
import { Button } from "../../_ui/button.tsx";
import { useMembership } from "../data/use-channels.ts";
import { messages } from "../messages.en.ts";

/** In place of the composer, for somebody who may read but is no member. */
export function JoinBar({ channelId }: { channelId: string }) {
  const membership = useMembership();
  const join = () =>
    membership.mutate(
      { channelId, act: "join" },
      { onError: (error) => toast.error(error.message || messages.toast.failed) },
    );
  return (
    <div className="flex flex-wrap items-center justify-center gap-3 border-t border-line bg-surface p-4 text-center">
      <p className="text-sm text-ink-soft">{messages.channel.joinHint}</p>
      <Button tone="primary" isBusy={membership.isPending} onClick={join}>
        {messages.channel.join}
      </Button>
    </div>
  );
}
