import type { WebSocket } from "ws";
import { makeId } from "../id.ts";
import type { Limits } from "./message-pack.ts";

/** An event without its number, which every connection counts for itself, or a whole reply. */
export type Outgoing = { kind: "event"; name: string; head: string } | { kind: "reply"; text: string };

/** What the client said it looks at, by the `presence` action. */
export type Presence = { channelId?: string; threadChannelId?: string; sideThreadChannelId?: string };

/** One client's stream of events: it outlives its socket, so that a later socket can go on where the first broke off. */
export type Connection = {
  id(): string;
  readonly userId: string;
  sessionId: string;
  presence: Presence;
  /** Whether the client asked to be told which posts it has to acknowledge. */
  wantsPostedAck: boolean;
  isOpen(): boolean;
  isSlow(): boolean;
  /** False when the queue is full: the connection is of no use any more. */
  send(item: Outgoing): boolean;
  open(socket: WebSocket): void;
  /** Goes on from `sequence`; with a fresh id and the hello of `makeHello` when the events from there on are gone. */
  resume(socket: WebSocket, sequence: number, makeHello: (id: string) => Outgoing): void;
  /** The socket is gone; events wait from now on. */
  detach(): void;
  /** Closes the socket, if there is one. */
  end(): void;
};

const droppable = new Set(["typing", "status_change", "channel_viewed", "multiple_channels_viewed"]);

export function createConnection(session: { userId: string; sessionId: string }, limits: Limits): Connection {
  let id = makeId();
  let nextSeq = 0;
  let replayable: { seq: number; head: string }[] = [];
  const queue: Outgoing[] = [];
  let socket: WebSocket | null = null;
  let stalled: NodeJS.Timeout | null = null;

  const number = (head: string, seq: number) => `${head},"seq":${seq}}`;

  function write(text: string): void {
    const target = socket;
    if (!target) return;
    target.send(text, () => {
      if (target !== socket || !stalled) return;
      clearTimeout(stalled);
      stalled = null;
      drain();
    });
    // Only what the kernel did not take at once holds up the queue, so a burst to a quick reader never fills it.
    if (target.bufferedAmount > 0) stalled ??= setTimeout(() => target.terminate(), limits.writeMs).unref();
  }

  function writeEvent(head: string): void {
    replayable.push({ seq: nextSeq, head });
    if (replayable.length > limits.maxReplayed) replayable.shift();
    write(number(head, nextSeq));
    nextSeq += 1;
  }

  function drain(): void {
    // What a closing socket would lose waits for the next one.
    while (socket && socket.readyState === socket.OPEN && !stalled) {
      const item = queue.shift();
      if (!item) return;
      if (item.kind === "event") writeEvent(item.head);
      else write(item.text);
    }
  }

  return {
    id: () => id,
    userId: session.userId,
    sessionId: session.sessionId,
    presence: {},
    wantsPostedAck: false,
    isOpen: () => socket !== null,
    isSlow: () => queue.length >= limits.maxQueued / 2,
    send(item) {
      if (item.kind === "event" && droppable.has(item.name) && this.isSlow()) return true;
      if (queue.length >= limits.maxQueued) return false;
      queue.push(item);
      drain();
      return true;
    },
    open(fresh) {
      socket = fresh;
      drain();
    },
    resume(fresh, sequence, makeHello) {
      socket = fresh;
      const from = replayable.findIndex((event) => event.seq === sequence);
      if (sequence === 0) {
        // A real server counts from 0 again here, and says no hello.
        nextSeq = 0;
        replayable = [];
      } else if (from >= 0) {
        for (const event of replayable.slice(from)) write(number(event.head, event.seq));
      } else if (sequence !== nextSeq) {
        id = makeId();
        nextSeq = 0;
        replayable = [];
        const hello = makeHello(id);
        if (hello.kind === "event") writeEvent(hello.head);
      }
      drain();
    },
    detach() {
      socket = null;
      if (stalled) clearTimeout(stalled);
      stalled = null;
    },
    end() {
      socket?.close();
    },
  };
}
