import { createExternalStore } from "../../_ui/external-store.ts";

/** Mattermost's statuses by user id: online, away, dnd, offline. */
type Statuses = Readonly<Record<string, string>>;

/** Time to collect the rows of one scroll before their authors' statuses are requested. */
const GATHER_MS = 150;

type Ask = (userIds: string[], tell: (statuses: Statuses) => void) => void;

/**
 * The presence of the people in view. Mattermost pushes a status to its owner only, so those of others are
 * requested; without a connection, none is known.
 */
export function createPresence() {
  const shown = new Map<string, number>();
  const { snapshot, subscribe, publish } = createExternalStore<Statuses>({});
  let ask: Ask | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  /** Times at which people were last seen typing or writing. */
  const seenAtMs = new Map<string, number>();

  /**
   * For each request in progress, the users whose status arrived since it began: the request's answer may be
   * older.
   */
  const underWay = new Set<Set<string>>();

  const tell = (statuses: Statuses) => {
    for (const known of underWay) for (const id of Object.keys(statuses)) known.add(id);
    if (ask) publish({ ...snapshot(), ...statuses });
  };
  const askFor = (userIds: string[]) => {
    if (userIds.length === 0 || !ask) return;
    const known = new Set<string>();
    underWay.add(known);
    ask(userIds, (statuses) => {
      if (!underWay.delete(known)) return;
      publish({
        ...snapshot(),
        ...Object.fromEntries(Object.entries(statuses).filter(([id]) => !known.has(id))),
      });
    });
  };
  const askSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(
      () => askFor([...shown.keys()].filter((id) => snapshot()[id] === undefined)),
      GATHER_MS,
    );
  };

  return {
    /** Marks a person as in view until the returned function is called. */
    show(userId: string) {
      shown.set(userId, (shown.get(userId) ?? 0) + 1);
      if (snapshot()[userId] === undefined) askSoon();
      return () => {
        const count = shown.get(userId) ?? 0;
        if (count > 1) shown.set(userId, count - 1);
        else shown.delete(userId);
      };
    },
    /** Applies statuses that arrived without a request. */
    tell,
    /** Marks a person who types or writes as online, unless their status is do-not-disturb. */
    see(userId: string, nowMs = performance.now()) {
      seenAtMs.set(userId, nowMs);
      const known = snapshot()[userId];
      if (known !== "online" && known !== "dnd") tell({ [userId]: "online" });
    },
    /** Requests one person's status, even if it is cached. */
    ask: (userId: string) => askFor([userId]),
    /**
     * Sets the function that requests statuses, or null while there is no connection. Drops all known
     * statuses.
     */
    connect(next: Ask | null, nowMs = performance.now()) {
      ask = next;
      askedAtMs = nowMs;
      clearTimeout(timer);
      underWay.clear();
      publish({});
      askFor([...shown.keys()]);
    },
    /**
     * Requests the statuses of the people in view again, except for people who typed or wrote within
     * `restMs`, and drops those of people out of view. Does nothing within `restMs` of the last time.
     */
    refresh(restMs = 0, nowMs = performance.now()) {
      if (nowMs - askedAtMs < restMs) return;
      askedAtMs = nowMs;
      for (const [id, seenMs] of seenAtMs) if (nowMs - seenMs >= restMs) seenAtMs.delete(id);
      publish(Object.fromEntries(Object.entries(snapshot()).filter(([id]) => shown.has(id))));
      askFor([...shown.keys()].filter((id) => !seenAtMs.has(id)));
    },
    snapshot,
    subscribe,
  };
}

export type Presence = ReturnType<typeof createPresence>;

const SHOWN_FOR_MS = 5_000;

type Typist = { channelId: string; rootId: string; userId: string; until: number };

/** The people who are typing, by place, for five seconds each; `now` is in ms. */
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
