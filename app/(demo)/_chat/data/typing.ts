const SHOWN_FOR_MS = 5_000;

type Typist = { channelId: string; rootId: string; userId: string; until: number };

/** Who is typing where, each for five seconds; `now` is milliseconds. */
export function createTypingList(now: () => number = Date.now) {
  let typists: readonly Typist[] = [];
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const publish = (next: readonly Typist[]) => {
    typists = next;
    for (const listener of listeners) listener();
  };

  const expire = () => {
    clearTimeout(timer);
    const live = typists.filter(({ until }) => until > now());
    if (live.length !== typists.length) publish(live);
    const first = Math.min(...live.map(({ until }) => until));
    if (live.length > 0) timer = setTimeout(expire, Math.max(first - now(), 0) + 10);
  };

  const without = (channelId: string, rootId: string, userId: string) =>
    typists.filter(
      (typist) => typist.channelId !== channelId || typist.rootId !== rootId || typist.userId !== userId,
    );

  return {
    start(channelId: string, rootId: string, userId: string) {
      publish([
        ...without(channelId, rootId, userId),
        { channelId, rootId, userId, until: now() + SHOWN_FOR_MS },
      ]);
      expire();
    },
    stop(channelId: string, rootId: string, userId: string) {
      const rest = without(channelId, rootId, userId);
      if (rest.length !== typists.length) publish(rest);
    },
    snapshot: () => typists,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

export type TypingList = ReturnType<typeof createTypingList>;
