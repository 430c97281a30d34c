import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { WebSocket } from "ws";
import { call } from "./call.ts";

export type Frame = {
  event?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the frames are what the tests look into.
  data?: any;
  broadcast?: Record<string, unknown>;
  seq?: number;
  status?: "OK" | "FAIL";
  seq_reply?: number;
  error?: { id: string; message: string; detailed_error: string; status_code: number };
};

/** A raw websocket that stores every frame. */
export type Listener = {
  socket: WebSocket;
  frames: Frame[];
  /** Returns the first past or future frame that `matches`. @throws after 10 s */
  find(matches: (frame: Frame) => boolean, what?: string): Promise<Frame>;
  event(name: string, matches?: (frame: Frame) => boolean): Promise<Frame>;
  events(name: string): Frame[];
  send(frame: unknown): void;
  /** Sends an action with a unique number and returns the reply. */
  ask(action: string, data?: Record<string, unknown>): Promise<Frame>;
  /** Forgets the frames received so far. */
  clear(): void;
  /** The close code. */
  closed: Promise<number>;
  close(): void;
};

const DEADLINE_MS = 10_000;

export type ListenOptions = {
  token?: string;
  query?: string;
  headers?: Record<string, string>;
  /** True to leave the server's pings unanswered. */
  isMute?: boolean;
};

/** Opens a websocket, authenticated by header if a token is given. Resolves once the socket is open. */
export async function openListener(baseUrl: string, options: ListenOptions = {}): Promise<Listener> {
  const url = `${baseUrl.replace(/^http/, "ws")}/websocket${options.query ?? ""}`;
  const headers = { ...(options.token && { authorization: `Bearer ${options.token}` }), ...options.headers };
  const socket = new WebSocket(url, { headers, autoPong: !options.isMute, perMessageDeflate: false });
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of waiting) check();
  };
  let seq = 0;
  let end: number | null = null;
  const closed = new Promise<number>((resolve) => {
    socket.on("close", (code) => {
      end = code;
      resolve(code);
      wake();
    });
  });
  socket.on("message", (data) => {
    frames.push(JSON.parse(data.toString()));
    wake();
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.on("error", reject);
    socket.once("unexpected-response", (_request, response) => {
      reject(
        Object.assign(new Error(`refused with ${response.statusCode}`), { status: response.statusCode }),
      );
    });
  });
  await opened;

  const find: Listener["find"] = (matches, what = "frame") =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        waiting.delete(check);
      };
      const timer = setTimeout(() => {
        stop();
        const seen = frames.map((frame) => frame.event ?? `reply ${frame.seq_reply}`).join(", ");
        reject(new Error(`no ${what} within ${DEADLINE_MS} ms; seen: ${seen || "nothing"}`));
      }, DEADLINE_MS);
      const check = () => {
        const found = frames.find(matches);
        if (found) {
          stop();
          resolve(found);
        } else if (end !== null) {
          stop();
          reject(new Error(`closed with ${end} before the ${what}`));
        }
      };
      waiting.add(check);
      check();
    });

  return {
    socket,
    frames,
    find,
    event: (name, matches = () => true) => find((frame) => frame.event === name && matches(frame), name),
    events: (name) => frames.filter((frame) => frame.event === name),
    send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    ask(action, data) {
      seq += 1;
      const own = 1_000_000 + seq;
      socket.send(JSON.stringify({ seq: own, action, ...(data && { data }) }));
      return find((frame) => frame.seq_reply === own, `reply to ${action}`);
    },
    clear() {
      frames.length = 0;
    },
    closed,
    close: () => socket.close(1000),
  };
}

/** Returns whether a posted event carries a given post: by id, or by type for the server's posts. */
export const carries =
  (wanted: { id?: string; type?: string; message?: string }) =>
  ({ event, data }: Frame): boolean => {
    if (event !== "posted") return false;
    const post = JSON.parse(data.post);
    return Object.entries(wanted).every(([key, value]) => post[key] === value);
  };

/** Fails unless the frames arrived in this order, whatever arrived in between. */
export async function expectOrder(
  listener: Listener,
  ...steps: ((frame: Frame) => boolean)[]
): Promise<void> {
  const found = [];
  for (const step of steps) found.push(listener.frames.indexOf(await listener.find(step)));
  expect(found).toEqual([...found].sort((one, other) => one - other));
}

export const named = (event: string) => (frame: Frame) => frame.event === event;

/**
 * Waits until the listener has received everything caused before. Events of one connection arrive in order,
 * so an event caused now arrives last.
 */
export async function fence(
  baseUrl: string,
  person: { id: string; token: string },
  listener: Listener,
): Promise<void> {
  const name = randomBytes(8).toString("hex");
  const preference = { user_id: person.id, category: "fence", name, value: "x" };
  await call(baseUrl, person.token, "PUT", `/users/${person.id}/preferences`, [preference]);
  await listener.event("preferences_changed", (frame) => frame.data.preferences.includes(name));
}
