"use client";

import { toast } from "sonner";
import { Button } from "../../_ui/button.tsx";
import { useMembership } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";

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
