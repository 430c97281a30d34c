import {
  KEPT_LOOK,
  type KeptLook,
  LONGEST_LOOK_MS,
  LOOK_ELEMENT,
  PERSON,
  type StoredLook,
} from "../../_ui/kept-look.ts";
import { readKept, readText } from "../../_ui/kept-text.ts";

const SIDES = ["left", "right", "top", "bottom"] as const;

/**
 * Shows the stored look if the same person is signed in and the page is at its address. The look is outside
 * the page that React hydrates, takes no focus or clicks, and is ignored by screen readers.
 */
export function showKeptLook(): void {
  const { person, value } = (readKept(KEPT_LOOK) ?? {}) as Partial<StoredLook>;
  if (!value || person !== readText(PERSON) || !isHere(value)) return;
  // The chat itself is faster if its scripts were cached.
  if (document.querySelector("[role=log]")) return;
  const look = document.createElement(LOOK_ELEMENT);
  look.inert = true;
  look.ariaHidden = "true";
  look.className = "fixed z-10 flex flex-col justify-end overflow-hidden bg-canvas";
  for (const side of SIDES) look.style[side] = `${value[side]}px`;
  look.innerHTML = value.html;
  document.body.append(look);
  setTimeout(() => look.remove(), LONGEST_LOOK_MS);
}

const isHere = ({ channelId, width }: KeptLook) =>
  location.pathname === `/chat/${channelId}` && location.search === "" && innerWidth === width;
