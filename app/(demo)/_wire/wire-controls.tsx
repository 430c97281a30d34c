"use client";

import { Eraser, Pause, Play } from "lucide-react";
import { useId } from "react";
import { IconButton } from "../_ui/icon-button.tsx";
import type { KindFilter } from "./filter-entries.ts";
import { strings } from "./strings.en.ts";

type WireControlsProps = {
  kind: KindFilter;
  onKind: (kind: KindFilter) => void;
  text: string;
  onText: (text: string) => void;
  isPaused: boolean;
  onPause: () => void;
  onClear: () => void;
};

const kinds = ["all", "http", "frames"] as const;

/** Which entries are shown, and whether new ones are. */
export function WireControls({ kind, onKind, text, onText, isPaused, onPause, onClear }: WireControlsProps) {
  const name = useId();
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 pb-3">
      <fieldset className="flex rounded-lg border border-line-strong p-0.5">
        <legend className="sr-only">{strings.kind}</legend>
        {kinds.map((choice) => (
          <label
            key={choice}
            className="cursor-pointer flex items-center rounded-md px-2.5 py-1.5 text-sm pointer-coarse:min-h-10 pointer-coarse:min-w-10 has-checked:bg-accent-wash has-checked:font-medium has-checked:text-accent-text has-focus-visible:outline-2 has-focus-visible:outline-ring"
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={kind === choice}
              onChange={() => onKind(choice)}
            />
            {strings.kinds[choice]}
          </label>
        ))}
      </fieldset>
      <span className="ml-auto flex">
        <IconButton label={isPaused ? strings.resume : strings.pause} isActive={isPaused} onClick={onPause}>
          {isPaused ? <Play aria-hidden size={17} /> : <Pause aria-hidden size={17} />}
        </IconButton>
        <IconButton label={strings.clear} onClick={onClear}>
          <Eraser aria-hidden size={17} />
        </IconButton>
      </span>
      <input
        type="search"
        aria-label={strings.filter}
        placeholder={strings.filter}
        value={text}
        maxLength={200}
        spellCheck={false}
        onChange={(event) => onText(event.target.value)}
        className="h-9 pointer-coarse:h-10 w-full rounded-lg border border-line-strong bg-surface px-3 text-base sm:text-sm"
      />
    </div>
  );
}
