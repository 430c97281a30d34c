import { emojify } from "../emoji/emojify.ts";
import { Mention } from "./mention.tsx";
import { splitMentions } from "./split-mentions.ts";

/** A text as it is written, with emoji and mentions. */
export function PlainText({ text, myName }: { text: string; myName: string }) {
  return (
    <span className="whitespace-pre-wrap">
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
