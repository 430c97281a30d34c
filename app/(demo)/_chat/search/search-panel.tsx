"use client";

import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { IconButton } from "../../_ui/icon-button.tsx";
import { messages as ui } from "../../_ui/messages.en.ts";
import { TextField } from "../../_ui/text-field.tsx";
import { messages } from "../messages.en.ts";
import { SearchResults } from "./search-results.tsx";

const PHONE = "(max-width: 767px)";

/** The search over messages: beside the conversation, on a phone over it. */
export function SearchPanel({ onClose }: { onClose: () => void }) {
  const [term, setTerm] = useState("");
  const panel = useRef<HTMLElement>(null);

  useEffect(() => {
    const before = document.activeElement;
    panel.current?.querySelector("input")?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);

  return (
    <aside
      ref={panel}
      aria-label={messages.search.title}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
      className="fixed inset-0 z-30 flex flex-col bg-surface md:static md:z-auto md:w-88 md:shrink-0 md:border-l md:border-line"
    >
      <header className="flex items-center justify-between gap-2 px-4 pt-3 pb-1">
        <h2 className="font-semibold">{messages.search.title}</h2>
        <IconButton label={ui.close} onClick={onClose} className="-mr-1.5">
          <X aria-hidden size={18} />
        </IconButton>
      </header>
      <TextField
        type="search"
        label={messages.search.label}
        hint={messages.search.hint}
        value={term}
        onChange={(event) => setTerm(event.target.value)}
        maxLength={512}
        spellCheck={false}
        enterKeyHint="search"
        className="border-b border-line px-4 pb-3"
      />
      <div className="grow overflow-y-auto">
        <SearchResults
          term={term.trim()}
          onOpen={() => {
            if (window.matchMedia(PHONE).matches) onClose();
          }}
        />
      </div>
    </aside>
  );
}
