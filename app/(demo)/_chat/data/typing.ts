import { createExternalStore } from "./external-store.ts";

const SHOWN_FOR_MS = 5_000;

type Typist = { channelId: string; rootId: string; userId: string; until: number };

/** Who is typing where, each for five seconds; `now` is milliseconds. */
export function createTypingList(now: () => number = () => performance.now()) {
  const { snapshot, subscribe, publish } = createExternalStore<readonly Typist[]>([]);
  let timer: ReturnType<typeof setTimeout> | undefined;

  const expire = () => {
    clearTimeout(timer);
    const live = snapshot().filter(({ until }) => until > now());
    if (live.length !== snapshot().length) publish(live);
    const first = Math.min(...live.map(({ until }) => until));
    if (live.length > 0) timer = setTimeout(expire, Math.max(first - now(), 0) + 10);
  };

  const without = (channelId: string, rootId: string, userId: string) =>
    snapshot().filter(
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
      if (rest.length !== snapshot().length) publish(rest);
    },
    snapshot,
    subscribe,
  };
}

export type TypingList = ReturnType<typeof createTypingList>;
