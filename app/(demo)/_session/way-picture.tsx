import { AppWindow, ArrowRight, KeyRound, MessagesSquare, QrCode, Smartphone } from "lucide-react";
import { strings } from "./strings.en.ts";
import type { Way } from "./way.ts";

/** The steps of a sign-in, in order: where the question appears, the signature, and the chat. */
const iconsOf = (way: Way, isOnPhone: boolean) => {
  const isInBrowser = way === "keychain" || way === "hivesigner";
  const start = isInBrowser ? [AppWindow] : isOnPhone ? [Smartphone] : [QrCode, Smartphone];
  return [...start, KeyRound, MessagesSquare];
};

/** Returns what happens after a way is chosen. */
function nextOf(way: Way, isOnPhone: boolean): string {
  if (way === "keychain" || way === "hivesigner") return strings[way].next;
  if (way === "ecency" || isOnPhone) return strings[way].nextHere;
  return strings[way].next;
}

/** A picture of what happens next, with the same in words. */
export function WayPicture({ way, isOnPhone }: { way: Way; isOnPhone: boolean }) {
  return (
    <span className="flex items-center gap-3 text-start text-xs font-normal text-ink-soft">
      <span aria-hidden className="flex shrink-0 items-center gap-1">
        {iconsOf(way, isOnPhone).map((Icon, index) => (
          <span key={Icon.displayName ?? index} className="flex items-center gap-1">
            {index > 0 && <ArrowRight size={12} className="rtl:rotate-180" />}
            <Icon size={16} />
          </span>
        ))}
      </span>
      <span>{nextOf(way, isOnPhone)}</span>
    </span>
  );
}
