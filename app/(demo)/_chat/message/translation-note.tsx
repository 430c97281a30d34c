"use client";

import { Languages } from "lucide-react";
import { inLocale } from "../../_ui/language.ts";
import { type Shown, showOriginal } from "../data/translations.ts";
import { strings } from "../strings.en.ts";

const namesOf = inLocale((locale) => new Intl.DisplayNames(locale, { type: "language" }));

/** Returns the name of a language in the page's language, or null for an invalid code. */
function nameOf(code: string | null): string | null {
  try {
    return code === null ? null : (namesOf().of(code) ?? null);
  } catch {
    return null;
  }
}

/** The note below a translated message: the original language, and a button that restores it. */
export function TranslationNote({ postId, shown }: { postId: string; shown: Shown }) {
  const name = nameOf(shown.source);
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-2 text-xs text-ink-soft">
      <Languages aria-hidden size={13} />
      {name === null ? strings.translation.shown : strings.translation.shownFrom(name)}
      <button
        type="button"
        onClick={() => showOriginal(postId)}
        className="rounded font-medium text-link hover:underline pointer-coarse:min-h-11"
      >
        {strings.translation.original}
      </button>
    </p>
  );
}
