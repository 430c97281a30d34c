"use client";

import { useEffect, useRef } from "react";

const isOver = () => (window.history.state as { isOver?: boolean } | null)?.isOver === true;

/** Closes what covers the page, where something does, and acts when the history has followed. */
export function closeThen(act: () => void): void {
  if (!isOver()) act();
  else {
    window.addEventListener("popstate", act, { once: true });
    window.history.back();
  }
}

/**
 * While `isOn`, the browser's back closes what covers the page instead of leaving the page. Whatever leads from it to
 * another address does so by `closeThen`.
 */
export function useBackCloses(isOn: boolean, onClose: () => void): void {
  const latest = useRef(onClose);
  latest.current = onClose;
  useEffect(() => {
    if (!isOn) return;
    window.history.pushState({ isOver: true }, "");
    const onPop = () => {
      if (!isOver()) latest.current();
    };
    window.addEventListener("popstate", onPop);
    return () => {
      window.removeEventListener("popstate", onPop);
      if (isOver()) window.history.back();
    };
  }, [isOn]);
}
