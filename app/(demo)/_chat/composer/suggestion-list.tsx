import { clsx } from "clsx";
import { Users } from "lucide-react";
import { Avatar } from "../../_ui/avatar.tsx";
import { pictureOf } from "../data/model.ts";
import { strings } from "../strings.en.ts";
import type { Completion } from "./use-completion.ts";

/** The suggestions over the composer; the keys stay in the text field. */
export function SuggestionList({ completion }: { completion: Completion }) {
  const { suggestions, active, listId, optionId, accept } = completion;
  return (
    <div
      role="listbox"
      id={listId}
      aria-label={strings.composer.suggestions}
      className="absolute inset-x-0 bottom-full z-20 mb-2 max-h-72 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-lift sm:right-auto sm:w-80"
    >
      {suggestions.map((suggestion, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the focus and takes the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the active option is named by aria-activedescendant
        <div
          key={suggestion.key}
          role="option"
          id={optionId(index)}
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => accept(suggestion)}
          className={clsx(
            "flex cursor-pointer items-center gap-2.5 rounded-lg px-3 py-2 text-sm pointer-coarse:min-h-11",
            index === active && "bg-sunken",
          )}
        >
          {suggestion.user ? (
            <Avatar size="small" name={suggestion.user.username} imageUrl={pictureOf(suggestion.user)} />
          ) : (
            <span aria-hidden className="flex w-6 shrink-0 justify-center text-lg leading-6">
              {suggestion.picture ?? <Users size={17} className="text-ink-faint" />}
            </span>
          )}
          <span className="max-w-full shrink-0 truncate">{suggestion.label}</span>
          {suggestion.hint && <span className="truncate text-xs text-ink-soft">{suggestion.hint}</span>}
        </div>
      ))}
    </div>
  );
}
