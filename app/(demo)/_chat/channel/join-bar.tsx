"use client";

import { toast } from "sonner";
import { Button } from "../../_ui/button.tsx";
import { useMembership } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";

/** In place of the composer, for somebody who may read but is no member. */
export function JoinBar({ channelId }: { channelId: string }) {
  return (
    <div className="flex flex-wrap items-center justify-center gap-3 border-t border-line bg-surface p-4 text-center">
      <p className="text-sm text-ink-soft">{strings.channel.joinHint}</p>
      <JoinButton channelId={channelId} />
    </div>
  );
}

/** Joins a channel; a refusal is told. */
export function JoinButton({ channelId }: { channelId: string }) {
  const membership = useMembership();
  const join = () => {
    membership
      .mutateAsync({ channelId, act: "join" })
      .catch((error: Error) => toast.error(error.message || strings.toast.failed));
  };
  return (
    <Button tone="primary" isBusy={membership.isPending} onClick={join}>
      {strings.channel.join}
    </Button>
  );
}
