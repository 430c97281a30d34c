import { onLeaving } from "../../_session/person.ts";

/** Files pasted or dropped for messages whose composer does not exist yet, by the place of the message. */
const held = new Map<string, readonly File[]>();

onLeaving(() => held.clear());

/** Keeps files until the composer of their place exists. */
export function holdFiles(place: string, files: readonly File[]): void {
  held.set(place, [...(held.get(place) ?? []), ...files]);
}

/** Removes and returns the files held for a place. */
export function takeHeldFiles(place: string): readonly File[] {
  const files = held.get(place) ?? [];
  held.delete(place);
  return files;
}
