"use client";

import {
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useSyncExternalStore,
} from "react";
import { createExternalStore } from "./external-store.ts";

/**
 * Returns the attributes that tell assistive technology a panel's title, and that it is a part of the page, or a
 * dialog if it covers the page.
 */
export const panelRole = (title: string, isCovering: boolean) => ({
  "aria-label": title,
  ...(isCovering ? ({ role: "dialog", "aria-modal": true } as const) : ({ role: "complementary" } as const)),
});

/**
 * Classes for the place of every panel: the end of the page, with one width for all, so that the later of two
 * panels hides the other entirely.
 */
export const panelPlace =
  "fixed inset-0 z-30 flex flex-col border-line max-lg:shadow-lift sm:start-auto sm:w-[26rem] sm:border-s lg:static lg:z-auto lg:w-88 lg:shrink-0 xl:w-[26rem]";

/** Returns whether two panels fit beside a conversation. Otherwise the one opened later covers the other. */
export const hasRoomForTwo = () => window.matchMedia("(min-width: 1536px)").matches;

const STOPS =
  "a[href], button:enabled, input:enabled, textarea:enabled, select:enabled, summary, [tabindex='0']";

const stopsIn = (panel: HTMLElement) =>
  [...panel.querySelectorAll<HTMLElement>(STOPS)].filter(
    (stop) => stop.tabIndex >= 0 && stop.checkVisibility({ visibilityProperty: true }),
  );

/** The panels that cover the page, the topmost last. */
const covering = createExternalStore<readonly HTMLElement[]>([]);

/** The parts of the page that these panels cover. */
const covered = new Set<HTMLElement>();

/** Replaces the panels that cover the page, and makes everything below the topmost unreachable. */
function cover(panels: readonly HTMLElement[]): void {
  for (const part of covered) part.inert = panels.length > 0;
  for (const panel of panels) panel.inert = panel !== panels.at(-1);
  covering.publish(panels);
}

/** A `ref` for a part of the page that is inert while a panel covers it. */
export function coveredPart(part: HTMLElement | null): (() => void) | undefined {
  if (!part) return undefined;
  covered.add(part);
  part.inert = covering.snapshot().length > 0;
  return () => {
    covered.delete(part);
  };
}

/** Returns whether a panel covers the page, so the page cannot be read. */
export function useIsCovered(): boolean {
  return useSyncExternalStore(
    covering.subscribe,
    () => covering.snapshot().length > 0,
    () => false,
  );
}

/**
 * Keeps Tab inside a panel that covers the page, and makes the page inert, while `isOn`. A dialog over the panel
 * traps its own focus.
 */
export function useTabHold(panel: RefObject<HTMLElement | null>, isOn: boolean): void {
  // The page may not be inert any more when effects return the focus to it.
  useLayoutEffect(() => {
    const element = panel.current;
    if (!isOn || !element) return;
    cover([...covering.snapshot(), element]);
    return () => {
      element.inert = false;
      cover(covering.snapshot().filter((other) => other !== element));
    };
  }, [panel, isOn]);
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      const element = panel.current;
      if (event.key !== "Tab" || event.defaultPrevented || !element || element.inert) return;
      const focused = document.activeElement;
      const isOutside = !element.contains(focused);
      if (isOutside && focused !== document.body) return;
      const stops = stopsIn(element);
      const [edge, other] = event.shiftKey ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
      if (!isOutside && focused !== edge && !(event.shiftKey && focused === element)) return;
      event.preventDefault();
      other?.focus();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [panel, isOn]);
}

const isOver = () => (window.history.state as { isOver?: boolean } | null)?.isOver === true;

/** Closes the panel that covers the page, if any, and calls `act` once the history has followed. */
export function closeThen(act: () => void): void {
  if (!isOver()) act();
  else {
    window.addEventListener("popstate", act, { once: true });
    window.history.back();
  }
}

/**
 * Makes the browser's back button close the covering panel instead of leaving the page, while `isOn`. The
 * panel's links to other addresses use `closeThen`.
 */
export function useBackCloses(isOn: boolean, onClose: () => void): void {
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (!isOn) return;
    window.history.pushState({ isOver: true }, "");
    const onPop = () => {
      if (!isOver()) close();
    };
    window.addEventListener("popstate", onPop);
    return () => {
      window.removeEventListener("popstate", onPop);
      if (isOver()) window.history.back();
    };
  }, [isOn]);
}

/** Returns whether the window is so narrow that a panel covers the page. */
export const useIsCovering = (): boolean => useMediaQuery("(max-width: 1023px)");

/** Returns whether a media query matches; false on the server. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => false,
  );
}
