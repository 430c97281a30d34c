const CODE = /```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]+`/g;
const CALL = /(?:^|[^\p{L}\p{N}_@./-])@(?:all|channel|here)(?![\p{L}\p{N}_-])/iu;

/** Returns whether a message calls everybody in its channel, as Mattermost reads it: not in code. */
export const callsEverybody = (message: string): boolean => CALL.test(message.replaceAll(CODE, " "));
