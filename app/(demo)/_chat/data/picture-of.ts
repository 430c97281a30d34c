import { chatClient } from "./chat-client.ts";
import type { User } from "./model.ts";

/**
 * The address of a person's picture, which changes when the picture does; none for whoever chose none, for whom
 * Mattermost would draw a letter.
 */
export function pictureOf({ id, last_picture_update }: User): string | undefined {
  return last_picture_update ? chatClient.users.imageUrl(id, last_picture_update) : undefined;
}
