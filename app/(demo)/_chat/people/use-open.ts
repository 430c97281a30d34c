"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { ChatError } from "../../../../lib/chat-client/index.ts";
import { useMembership, useOpenDirect } from "../data/use-channels.ts";
import { strings } from "../strings.en.ts";

/** Ways into a conversation: open one's own, join another, start one with a person; `problem` is fit to be shown. */
export function useOpen(onOpened: () => void) {
  const router = useRouter();
  const membership = useMembership();
  const direct = useOpenDirect();
  const [problem, setProblem] = useState<string>();

  const openChannel = (channelId: string) => {
    router.push(`/chat/${channelId}`);
    onOpened();
  };
  const joinChannel = (channelId: string) =>
    membership.mutate(
      { channelId, act: "join" },
      { onSuccess: () => openChannel(channelId), onError: () => setProblem(strings.toast.failed) },
    );
  const openDirect = (username: string) =>
    direct.mutate(username, {
      onSuccess: openChannel,
      onError: (error) => {
        const isUnknown = error instanceof ChatError && error.status === 404;
        setProblem(isUnknown ? strings.finder.noAccount(username) : strings.toast.failed);
      },
    });

  return {
    openChannel,
    joinChannel,
    openDirect,
    problem,
    forgetProblem: () => setProblem(undefined),
    isBusy: membership.isPending || direct.isPending,
  };
}
