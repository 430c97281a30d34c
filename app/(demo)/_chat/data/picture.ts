import { chatClient } from "./chat-client.ts";
import type { User } from "./model.ts";

/** The address of a person's picture; it changes when the picture does. */
export function pictureOf({ id, last_picture_update }: User): string {
  return chatClient.users.imageUrl(id, last_picture_update);
}
