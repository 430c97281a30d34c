"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useSyncExternalStore } from "react";
import { dropLooks, isSentLookShown, LONGEST_LOOK_MS } from "../../_ui/kept-look.ts";

/**
 * Lies where the messages of a channel will be, until they are there. It takes no focus and no clicks, and is nothing to
 * screen readers.
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
      className="fixed inset-x-0 top-15 bottom-[86px] z-10 flex flex-col overflow-hidden bg-canvas pointer-coarse:bottom-[130px] md:start-72"
    >
      {children}
    </div>
  );
}
