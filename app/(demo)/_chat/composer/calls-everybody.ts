import { wordsForMentions } from "#lib/mention-words.ts";

/** Returns whether a message calls everybody in its channel, as Mattermost reads it. */
export function callsEverybody(message: string): boolean {
  const words = wordsForMentions(message);
  return ["@all", "@channel", "@here"].some((name) => words.has(name));
}
