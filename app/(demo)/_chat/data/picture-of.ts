import { chatClient } from "./chat-client.ts";
import type { User } from "./model.ts";

/**
 * Returns the address of a person's picture, which changes when the picture does; none for people without a picture,
 * for whom Mattermost would draw a letter.
 */
export function pictureOf({ id, last_picture_update }: User): string | undefined {
  return last_picture_update ? chatClient.users.imageUrl(id, last_picture_update) : undefined;
}
