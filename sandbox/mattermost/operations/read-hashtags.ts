/** The hashtags of a message as posts carry them: `#one #two`. */
export function readHashtags(message: string): string {
  const tags = message.match(/(?<![\p{L}\p{N}_#/])#\p{L}[\p{L}\p{N}_-]+/gu) ?? [];
  return [...new Set(tags)].join(" ").slice(0, 1000);
}
