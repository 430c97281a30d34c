import { emojify } from "../emoji/emojify.ts";
import { Mention } from "./mention.tsx";
import { splitMentions } from "./split-mentions.ts";

type PlainTextProps = { text: string; myName: string; isLine?: boolean };

/** A text as it is written, with emoji and mentions; with `isLine` its line breaks are spaces. */
export function PlainText({ text, myName, isLine = false }: PlainTextProps) {
  return (
    <span className={isLine ? undefined : "whitespace-pre-wrap"}>
      {splitMentions(text).map((part, index) =>
        part.kind === "mention" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name and never move
          <Mention key={index} text={part.text} myName={myName} />
        ) : (
          emojify(part.text)
        ),
      )}
    </span>
  );
}
