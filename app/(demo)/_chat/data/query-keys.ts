/** Names of everything in the query cache. */
export const queryKeys = {
  me: ["me"] as const,
  channels: ["channels"] as const,
  users: ["users"] as const,
  timelines: ["timeline"] as const,
  /** `anchor` is the post that the timeline was opened at, or `latest`. */
  timeline: (channelId: string, anchor: string) => ["timeline", channelId, anchor] as const,
  timelinesOf: (channelId: string) => ["timeline", channelId] as const,
  threads: ["thread"] as const,
  thread: (rootId: string) => ["thread", rootId] as const,
  finder: (term: string) => ["finder", term] as const,
  search: (term: string) => ["search", term] as const,
};
