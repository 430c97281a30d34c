"use client";

import { Undo2 } from "lucide-react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { useChat } from "../chat-context.ts";
import { catchFocus } from "../composer/focus-composer.ts";
import { strings } from "../strings.en.ts";

/** In place of a message that is about to be deleted: the way back. `rootId` names the composer beside it. */
export function RemovedMessage({ postId, rootId }: { postId: string; rootId: string }) {
  const { removals } = useChat();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The window in which the deletion was confirmed gives the focus back to a button that is gone.
    const timer = setTimeout(() => button.current?.focus({ preventScroll: true }));
    return () => clearTimeout(timer);
  }, []);
  useLayoutEffect(
    () => () => {
      // Taken back or done, the button goes with the focus.
      if (document.activeElement === button.current) setTimeout(() => catchFocus(rootId));
    },
    [rootId],
  );
  return (
    <p role="status" className="flex items-center gap-3 text-[0.95rem] text-ink-soft italic">
      {strings.message.deleted}
      <button
        ref={button}
        type="button"
        onClick={() => removals.undo(postId)}
        className="inline-flex h-7 items-center gap-1.5 rounded-lg px-2 text-sm pointer-coarse:h-10 font-medium text-accent-text not-italic hover:bg-sunken"
      >
        <Undo2 aria-hidden size={15} />
        {strings.message.undo}
      </button>
    </p>
  );
}
