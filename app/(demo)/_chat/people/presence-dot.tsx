"use client";

import { clsx } from "clsx";
import { strings } from "../strings.en.ts";
import { usePresence } from "./use-presence.ts";

const colours: Readonly<Record<string, string>> = {
  online: "bg-good",
  away: "bg-accent",
  dnd: "bg-danger",
};

/** A dot for whoever's status the server told of late; nothing for the others. */
export function PresenceDot({ userId }: { userId: string }) {
  const status = usePresence(userId);
  const colour = status ? colours[status] : undefined;
  if (!colour) return null;
  return (
    <span
      role="img"
      aria-label={strings.presence[status ?? ""]}
      className={clsx(
        "absolute -right-0.5 -bottom-0.5 size-2.5 rounded-full border-2 border-surface",
        colour,
      )}
    />
  );
}

/** The same in words, for a place where a dot would be read out before the name. */
export function PresenceWords({ userId }: { userId: string }) {
  const status = usePresence(userId);
  return status && colours[status] ? strings.presence[status] : null;
}
