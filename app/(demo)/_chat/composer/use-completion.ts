"use client";

import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { type OnResolve, useHeldKey } from "./held-key.ts";
import { isSendKey } from "./send-key.ts";
import { findTrigger, type Suggestion, type Trigger, useSuggestions } from "./suggestions.ts";

type CompletionOptions = {
  onAccept: (trigger: Trigger, suggestion: Suggestion) => void;
  /** Called for a key that was pressed before its suggestion arrived. */
  onResolve: OnResolve;
};

/** Completes the word before the cursor: follows the text, and handles keys while suggestions are open or loading. */
export function useCompletion({ onAccept, onResolve }: CompletionOptions) {
  const [trigger, setTrigger] = useState<Trigger | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const keys = useHeldKey(onResolve);
  const { suggestions, isPending } = useSuggestions(keys.held?.trigger ?? trigger);
  const listId = useId();
  const isOpen = keys.held === null && trigger !== null && suggestions.length > 0;
  const active = Math.max(
    0,
    suggestions.findIndex(({ key }) => key === chosen),
  );
  // A late suggestion must not replace the one that a key was meant for.
  const shown = suggestions[active]?.key ?? null;
  if (isOpen && chosen !== shown) setChosen(shown);
  const optionId = (index: number) => `${listId}-${index}`;

  const { held, resolve } = keys;
  // A held key is meant for a person, never for a group.
  const first = suggestions.find(({ hint }) => hint === undefined);
  useEffect(() => {
    if (held && (first || !isPending)) resolve.current(first);
  }, [held, first, isPending, resolve]);

  const close = () => setTrigger(null);
  const accept = (suggestion: Suggestion | undefined) => {
    if (trigger && suggestion) onAccept(trigger, suggestion);
    close();
  };
  const follow = (text: string, cursor: number) => {
    const found = findTrigger(text, cursor);
    if (found?.part !== trigger?.part || found?.kind !== trigger?.kind) setChosen(null);
    setTrigger(found);
    keys.follow(text);
  };
  const takeEarlyKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const isEnter = isSendKey(event);
    if (held && event.key === "Escape") keys.release();
    else if (held && isEnter) keys.holdSend(event);
    else if (!held && trigger && isPending && (isEnter || event.key === "Tab")) keys.hold(trigger, event);
    else return false;
    event.preventDefault();
    return true;
  };
  /** Handles a key that is meant for the suggestions. Returns false for any other key. */
  const takeKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (!isOpen) return takeEarlyKey(event);
    const step = (by: number) =>
      setChosen(suggestions[(active + by + suggestions.length) % suggestions.length]?.key ?? null);
    if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Enter" || event.key === "Tab") accept(suggestions[active]);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    return true;
  };

  return {
    isOpen,
    suggestions,
    active,
    listId,
    optionId,
    accept,
    follow,
    close,
    /** Releases a held key. */
    release: keys.release,
    takeKey,
    /** Props of the text field, which keeps the focus. */
    aria: {
      "aria-autocomplete": "list" as const,
      "aria-expanded": isOpen,
      "aria-haspopup": "listbox" as const,
      "aria-controls": isOpen ? listId : undefined,
      "aria-activedescendant": isOpen ? optionId(active) : undefined,
    },
  };
}

export type Completion = ReturnType<typeof useCompletion>;
