"use client";

import { clsx } from "clsx";
import { X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { IconButton } from "./icon-button.tsx";
import { panelPlace, panelRole, useBackCloses, useIsCovering, useTabHold } from "./panel.ts";
import { strings } from "./strings.en.ts";

type SidePanelProps = {
  title: string;
  /** The element that first receives the focus, if not the panel itself. */
  initialFocus?: RefObject<HTMLElement | null>;
  /** The element that had the focus before, if a part of the panel may have it already. */
  before?: RefObject<HTMLElement | null>;
  onClose: () => void;
  children: ReactNode;
};

/**
 * A panel beside the page. Without enough room it is a dialog over the page, which Escape and the browser's
 * back button close.
 */
export function SidePanel({ title, initialFocus, before, onClose, children }: SidePanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const isCovering = useIsCovering();
  const previous = useRef<Element | null>(null);
  // Read before the page is inert, because an inert part loses the focus in the next frame.
  useLayoutEffect(() => {
    previous.current = before?.current ?? document.activeElement;
  }, [before]);
  useTabHold(panel, isCovering);
  useBackCloses(isCovering, onClose);

  useEffect(() => {
    // The menu that opened this panel first returns the focus.
    const timer = setTimeout(() => {
      const { activeElement, body } = document;
      if (activeElement !== body && !panel.current?.contains(activeElement)) previous.current = activeElement;
      (initialFocus ?? panel).current?.focus();
    });
    return () => {
      clearTimeout(timer);
      // The focus of a user who moved elsewhere, for example to the composer, stays there.
      const isLost = document.activeElement === null || document.activeElement === document.body;
      const { current } = previous;
      if (isLost && current instanceof HTMLElement && current.isConnected) current.focus();
    };
  }, [initialFocus]);

  return (
    <>
      <Scrim onPress={onClose} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it has one of two roles */}
      <div
        ref={panel}
        tabIndex={-1}
        {...panelRole(title, isCovering)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onClose();
        }}
        className={clsx(
          panelPlace,
          "bg-surface outline-none max-2xl:peer-has-[[role=complementary]]:fixed max-2xl:peer-has-[[role=complementary]]:z-30",
        )}
      >
        <div className="flex items-center justify-between gap-2 px-4 pt-3 pb-1">
          <h2 className="font-semibold">{title}</h2>
          <IconButton label={strings.close} onClick={onClose} className="-me-1.5">
            <X aria-hidden size={18} />
          </IconButton>
        </div>
        {children}
      </div>
    </>
  );
}

/** The shade over the page behind a panel. A press on it closes the panel, as Escape does. */
export const Scrim = ({ onPress }: { onPress: () => void }) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: for the pointer alone
  // biome-ignore lint/a11y/useKeyWithClickEvents: keys have Escape
  <div className="fixed inset-0 z-30 bg-black/45 lg:hidden" onClick={onPress} />
);
