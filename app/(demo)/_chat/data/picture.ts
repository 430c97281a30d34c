import type { User } from "./model.ts";

/** The address of a person's picture; it changes when the picture does. */
export function pictureOf({ id, last_picture_update }: User): string {
  return `/api/chat/users/${id}/image?v=${last_picture_update ?? 0}`;
}
