import type { WebSocket } from "ws";
import type { MattermostForHub, ServerEvent } from "../event-bus.ts";
import {
  type Connection,
  createConnection,
  createEncoder,
  isMeantFor,
  mayHear,
  type Outgoing,
} from "./connection.ts";
import type { Limits } from "./limits.ts";

export type Session = { userId: string; sessionId: string };

/** The connections and their streams of events. */
export type Hub = {
  /** Creates a connection for the socket. The hello is its first event. */
  open(socket: WebSocket, session: Session): Connection;
  /** Finds the session's connection with this id, if it has no socket. */
  findDormant(connectionId: string, session: Session): Connection | null;
  resume(socket: WebSocket, session: Session, connection: Connection, sequence: number): void;
  forget(connection: Connection): void;
  send(connection: Connection, item: Outgoing): void;
  deliver(event: ServerEvent): void;
  /** Reports that the connection's socket has ended. */
  closed(connection: Connection): void;
  close(): void;
};

/** @param now Milliseconds, for the age of connections without a socket. */
export function createHub(
  mattermost: MattermostForHub,
  limits: Limits,
  hostname: string,
  now: () => number,
): Hub {
  const connections = new Map<string, Set<Connection>>();
  const dormantSince = new Map<Connection, number>();
  const of = (userId: string) => connections.get(userId) ?? new Set<Connection>();

  const helloTo = (userId: string) => (connectionId: string) => {
    const data = { connection_id: connectionId, server_version: mattermost.serverVersion };
    const event: ServerEvent = {
      event: "hello",
      data: mattermost.flavour === "v11" ? { ...data, server_hostname: hostname } : data,
      broadcast: {
        omit_users: null,
        user_id: userId,
        channel_id: "",
        team_id: "",
        connection_id: "",
        omit_connection_id: "",
      },
    };
    return createEncoder(event, mattermost.flavour);
  };

  function forget(connection: Connection): void {
    dormantSince.delete(connection);
    const own = of(connection.userId);
    own.delete(connection);
    if (own.size === 0) connections.delete(connection.userId);
  }

  function send(connection: Connection, item: Outgoing): void {
    if (connection.send(item)) return;
    forget(connection);
    connection.end();
  }

  function reap(): void {
    const oldest = now() - limits.reapMs;
    for (const [connection, since] of dormantSince) if (since <= oldest) forget(connection);
  }
  const reaper = setInterval(reap, limits.reapMs).unref();

  return {
    open(socket, session) {
      const connection = createConnection(session, limits);
      connections.set(session.userId, of(session.userId).add(connection));
      connection.open(socket);
      connection.send(helloTo(session.userId)(connection.id())(connection));
      return connection;
    },
    findDormant(connectionId, { userId }) {
      for (const connection of of(userId)) {
        if (connection.id() === connectionId && !connection.isOpen()) return connection;
      }
      return null;
    },
    resume(socket, { userId, sessionId }, connection, sequence) {
      dormantSince.delete(connection);
      connection.sessionId = sessionId;
      connection.presence = {};
      connection.resume(socket, sequence, (id) => helloTo(userId)(id)(connection));
    },
    forget,
    send,
    deliver(event) {
      const encode = createEncoder(event, mattermost.flavour);
      const { user_id } = event.broadcast;
      const candidates = user_id ? [of(user_id)] : [...connections.values()];
      for (const own of candidates) {
        for (const connection of [...own]) {
          if (!mayHear(connection, mattermost) || !isMeantFor(event, connection, mattermost)) continue;
          send(connection, encode(connection));
        }
      }
    },
    closed(connection) {
      connection.detach();
      const own = of(connection.userId);
      if (own.has(connection)) dormantSince.set(connection, now());
      const dormant = [...own].filter((one) => !one.isOpen());
      // A set preserves insertion order, so the first connection is the least likely to return.
      if (dormant[limits.maxDormant] && dormant[0]) forget(dormant[0]);
      if (dormant.length >= own.size) mattermost.lastSocketClosed(connection.userId);
    },
    close() {
      clearInterval(reaper);
      connections.clear();
      dormantSince.clear();
    },
  };
}
