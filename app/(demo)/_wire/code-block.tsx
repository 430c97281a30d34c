/** Text as it went over the wire. */
export function CodeBlock({ text }: { text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      className="max-h-64 overflow-auto rounded-lg bg-sunken p-2 font-mono text-xs whitespace-pre-wrap break-all"
    >
      {text}
    </pre>
  );
}
