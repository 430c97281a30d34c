import Markdown from "react-markdown";

/** One line with `code` in it. */
export function Inline({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
      <code key={index} className="font-mono text-[0.92em] text-ink">
        {part}
      </code>
    ),
  );
}

/** Paragraphs and lists of the document's own descriptions. */
export function Prose({ text, className = "" }: { text: string; className?: string }) {
  return (
    <div
      className={`space-y-2 text-sm leading-6 break-words text-ink-soft [&_code]:font-mono [&_code]:text-[0.92em] [&_code]:text-ink [&_ol]:list-decimal [&_ol]:space-y-1 [&_ol]:pl-5 [&_strong]:font-semibold [&_strong]:text-ink ${className}`}
    >
      <Markdown>{text}</Markdown>
    </div>
  );
}

/** Code that scrolls sideways instead of breaking. */
export function Code({ text }: { text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-xl bg-sunken p-3 font-mono text-xs leading-5"
    >
      {text}
    </pre>
  );
}

/** A type in which the names of schemas lead to them. */
export function TypeText({ type }: { type: string }) {
  return (
    <span className="font-mono text-xs break-words">
      {type.split(/((?<!["\w])[A-Z][a-z]\w+(?!["\w]))/).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
          <a key={index} href={`#schema-${part}`} className="text-accent-text underline">
            {part}
          </a>
        ),
      )}
    </span>
  );
}
