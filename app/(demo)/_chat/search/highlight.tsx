const OPERATOR = /(?:^|\s)-?(?:from|in|before|after|on):\S*/gi;
const CONTEXT = 80;

/** The words of a search term, without its operators. */
function wordsOf(term: string): string[] {
  return term
    .replaceAll(OPERATOR, " ")
    .split(/[\s"]+/)
    .map((word) => word.replace(/^[#@-]+/, "").replace(/\*+$/, ""))
    .filter((word) => word !== "");
}

const quote = (word: string) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** A message's text from a little before the first hit on, the words that were searched for marked. */
export function Highlight({ text, term }: { text: string; term: string }) {
  const words = wordsOf(term);
  if (words.length === 0) return text.slice(0, CONTEXT * 5);
  const pattern = new RegExp(`(${words.map(quote).join("|")})`, "giu");
  const first = Math.max(text.search(pattern), 0);
  const start = first > CONTEXT ? first - CONTEXT / 2 : 0;
  const parts = text.slice(start, start + CONTEXT * 5).split(pattern);
  return (
    <>
      {start > 0 && "…"}
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
          <mark key={index} className="rounded-sm bg-accent px-0.5 text-accent-ink">
            {part}
          </mark>
        ) : (
          part
        ),
      )}
    </>
  );
}
