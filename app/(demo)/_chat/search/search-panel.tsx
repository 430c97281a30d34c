"use client";

import { useRef, useState } from "react";
import { SidePanel } from "../../_ui/side-panel.tsx";
import { TextField } from "../../_ui/text-field.tsx";
import { strings } from "../strings.en.ts";
import { SearchResults } from "./search-results.tsx";

/** The search over messages: beside the conversation, on a phone over it. */
export function SearchPanel({ onClose }: { onClose: () => void }) {
  const [term, setTerm] = useState("");
  const field = useRef<HTMLInputElement>(null);
  return (
    <SidePanel
      title={strings.search.title}
      initialFocus={field}
      onClose={onClose}
      className="md:static md:z-auto md:w-88 md:shrink-0 md:border-l md:border-line"
    >
      <TextField
        ref={field}
        type="search"
        label={strings.search.label}
        hint={strings.search.hint}
        value={term}
        onChange={(event) => setTerm(event.target.value)}
        maxLength={512}
        spellCheck={false}
        enterKeyHint="search"
        className="border-b border-line px-4 pb-3"
      />
      <div className="grow overflow-y-auto">
        <SearchResults term={term.trim()} />
      </div>
    </SidePanel>
  );
}
