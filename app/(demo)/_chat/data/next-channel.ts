"use client";

import { useParams, useSearchParams } from "next/navigation";
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";
import { createExternalStore } from "../../_ui/external-store.ts";
import { onRouteStart } from "../../_ui/route-start.ts";

/** The channel that was chosen and that the router does not show yet, or null. */
const next = createExternalStore<string | null>(null);

/** Returns the channel that was chosen and that the router does not show yet, or null. */
export const nextChannel = next.snapshot;

export const useNextChannel = () => useSyncExternalStore(next.subscribe, next.snapshot, () => null);

/** Returns the channel that the reader chose last, although the router may not show it yet. */
export function useChosenChannel(): string | undefined {
  const { channelId } = useParams<{ channelId?: string }>();
  return useNextChannel() ?? channelId;
}

/** Ends the wait for a channel that is open now. */
export function endNext(channelId: string): void {
  if (next.snapshot() === channelId) next.publish(null);
}

/** Follows which channel the router is about to show. */
export function useFollowRoute(): void {
  const { channelId } = useParams<{ channelId?: string }>();
  const address = useSearchParams();
  const begin = useEffectEvent(({ pathname }: URL) => {
    const [, chosen] = /^\/chat\/([^/]+)$/.exec(pathname) ?? [];
    next.publish(chosen === undefined || chosen === channelId ? null : chosen);
  });
  useEffect(() => onRouteStart(begin), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `address` says when
  useEffect(() => {
    // A change of another kind, such as opening a thread, makes the router drop the channel.
    if (next.snapshot() !== channelId) next.publish(null);
  }, [channelId, address]);
}
