"use client";

import { type KeyboardEvent, useId, useState } from "react";
import { findTrigger, type Trigger } from "./find-trigger.ts";
import { type Suggestion, useSuggestions } from "./use-suggestions.ts";

/** Completes the word before the cursor: follows the text, takes the keys while suggestions are open. */
export function useCompletion(onAccept: (trigger: Trigger, suggestion: Suggestion) => void) {
  const [trigger, setTrigger] = useState<Trigger | null>(null);
  const [chosen, setChosen] = useState(0);
  const suggestions = useSuggestions(trigger);
  const listId = useId();
  const isOpen = trigger !== null && suggestions.length > 0;
  const active = Math.min(chosen, suggestions.length - 1);
  const optionId = (index: number) => `${listId}-${index}`;

  const close = () => setTrigger(null);
  const accept = (suggestion: Suggestion | undefined) => {
    if (trigger && suggestion) onAccept(trigger, suggestion);
    close();
  };
  const follow = (text: string, cursor: number) => {
    const found = findTrigger(text, cursor);
    if (found?.part !== trigger?.part || found?.kind !== trigger?.kind) setChosen(0);
    setTrigger(found);
  };
  /** True when the key was for the suggestions. */
  const takeKey = (event: KeyboardEvent): boolean => {
    if (!isOpen) return false;
    const count = suggestions.length;
    if (event.key === "ArrowDown") setChosen((active + 1) % count);
    else if (event.key === "ArrowUp") setChosen((active - 1 + count) % count);
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
    takeKey,
    /** For the text field, which keeps the focus. */
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
