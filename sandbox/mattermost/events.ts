/** Who an event is for. The first field that is set decides: connection, user, (omitted users), channel, team, everybody. */
export type Broadcast = {
  omit_users: Record<string, true> | null;
  user_id: string;
  channel_id: string;
  team_id: string;
  connection_id: string;
  omit_connection_id: string;
  /** Kept from system admins. */
  contains_sanitized_data?: true;
  /** Kept from everybody but system admins. */
  contains_sensitive_data?: true;
};

export type ServerEvent = {
  event: string;
  data: Record<string, unknown>;
  broadcast: Broadcast;
  /**
   * When present, what this one recipient gets instead of `data` (in v11 `mentions` and `followers` name only the
   * recipient themselves).
   */
  dataFor?: (userId: string) => Record<string, unknown>;
};

/** An event as published: broadcast fields that are left out are empty. */
export type NewEvent = Omit<ServerEvent, "broadcast"> & { broadcast: Partial<Broadcast> };

export type EventListener = (event: ServerEvent) => void;

export type EventBus = {
  publish(event: NewEvent): void;
  /** Returns the function that ends the subscription. Listeners are called at once, in order, and must not throw. */
  subscribe(listener: EventListener): () => void;
};

const nobody: Broadcast = {
  omit_users: null,
  user_id: "",
  channel_id: "",
  team_id: "",
  connection_id: "",
  omit_connection_id: "",
};

/** The bus between the REST routes, which publish, and the websocket hub, which delivers. */
export function createEventBus(): EventBus {
  const listeners = new Set<EventListener>();
  return {
    publish(event) {
      const whole = { ...event, broadcast: { ...nobody, ...event.broadcast } };
      for (const listener of listeners) listener(whole);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
