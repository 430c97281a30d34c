import { chatClient } from "./chat-client.ts";
import type { User } from "./model.ts";

/**
 * Returns the address of a person's picture, which changes whenever the picture does, or undefined for people
 * without a picture, for whom Mattermost would draw a letter.
 */
export function pictureOf({ id, lastPictureUpdate }: User): string | undefined {
  return lastPictureUpdate ? chatClient.users.imageUrl(id, lastPictureUpdate) : undefined;
}
