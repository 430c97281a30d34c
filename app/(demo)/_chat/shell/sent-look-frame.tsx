"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useSyncExternalStore } from "react";
import { LONGEST_LOOK_MS } from "../../_ui/kept-look.ts";
import { dropLooks, isSentLookShown } from "../../_ui/shown-looks.ts";

/**
 * Covers the place of a channel's messages until they have loaded. It takes no focus or clicks, and screen
 * readers ignore it.
 */
export function SentLookFrame({ channelId, children }: { channelId: string; children: ReactNode }) {
  const isShown = useSyncExternalStore(isSentLookShown.subscribe, isSentLookShown.snapshot, () => true);
  const isHere = usePathname() === `/chat/${channelId}`;
  useEffect(() => {
    const timer = setTimeout(dropLooks, LONGEST_LOOK_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown || !isHere) return null;
  return (
    <div
      inert
      aria-hidden
      data-sent-look
      className="fixed inset-x-0 top-15 bottom-[86px] z-10 flex flex-col overflow-hidden bg-canvas pointer-coarse:bottom-[138px] md:start-72"
    >
      {children}
    </div>
  );
}
