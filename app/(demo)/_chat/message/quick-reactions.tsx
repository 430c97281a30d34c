import { emojiOf } from "../emoji/emojify.ts";
import { barEmoji } from "../emoji/quick-emoji.ts";

/** The reactions that are one press away. */
export function QuickReactions({ onReact }: { onReact: (name: string) => void }) {
  return barEmoji.map((name) => (
    <button
      key={name}
      type="button"
      aria-label={`:${name}:`}
      title={`:${name}:`}
      onClick={() => onReact(name)}
      className="inline-flex size-8 items-center justify-center rounded-lg text-base hover:bg-sunken max-sm:size-11 max-sm:text-2xl"
    >
      {emojiOf(name)}
    </button>
  ));
}
