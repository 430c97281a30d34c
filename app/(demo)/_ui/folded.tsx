"use client";

import { type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

const HOLD = "hivegate:hold";

/** Tells the list around an element that the element is about to grow, and should stay where it is. */
export function holdPlace(element: Element | null): void {
  element?.dispatchEvent(new CustomEvent(HOLD, { bubbles: true }));
}

/** Calls back when elements in a list are about to grow. Call the returned function to stop. */
export function onHoldPlace(list: Element, hear: (element: Element) => void): () => void {
  const listener = ({ target }: Event) => {
    if (target instanceof Element) hear(target);
  };
  list.addEventListener(HOLD, listener);
  return () => list.removeEventListener(HOLD, listener);
}

/**
 * The first twelve lines of a text, and a button that shows the rest below them. Focusing anything in the rest
 * shows it too.
 */
export function Folded({ more, children }: { more: string; children: ReactNode }) {
  const text = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [isLong, setIsLong] = useState(true);
  useLayoutEffect(() => {
    const element = text.current;
    if (!element || isOpen) return;
    const measure = () => setIsLong(element.scrollHeight > element.clientHeight + 1);
    const observer = new ResizeObserver(measure);
    for (const sized of [element, ...element.children]) observer.observe(sized);
    const showFocused = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      if (target.getBoundingClientRect().bottom <= element.getBoundingClientRect().bottom) return;
      flushSync(() => setIsOpen(true));
      target.scrollIntoView({ block: "nearest" });
    };
    element.addEventListener("focusin", showFocused);
    return () => {
      observer.disconnect();
      element.removeEventListener("focusin", showFocused);
    };
  }, [isOpen]);
  return (
    <>
      <div
        ref={text}
        tabIndex={-1}
        className={
          isOpen
            ? "outline-none"
            : `max-h-84 overflow-clip outline-none ${isLong ? "[mask-image:linear-gradient(black_75%,transparent)]" : ""}`
        }
      >
        {children}
      </div>
      {!isOpen && isLong && (
        <button
          type="button"
          onClick={() => {
            holdPlace(text.current);
            setIsOpen(true);
            text.current?.focus({ preventScroll: true });
          }}
          className="mt-1 py-1 text-sm font-medium text-link hover:underline pointer-coarse:min-h-11"
        >
          {more}
        </button>
      )}
    </>
  );
}
