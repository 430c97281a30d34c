import { wordsForMentions } from "#lib/mention-words.ts";

/** Returns whether a message calls everyone in its channel, by Mattermost's rules. */
export function callsEverybody(message: string): boolean {
  const words = wordsForMentions(message);
  return ["@all", "@channel", "@here"].some((name) => words.has(name));
}
