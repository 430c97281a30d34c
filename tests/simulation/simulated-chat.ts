import type { ApprovalChat } from "../../lib/approvals/index.ts";
import type { Post } from "../../lib/chat-client/index.ts";
import type { Stream } from "./chance.ts";
import type { SimulatedProcess, Stage } from "./simulated-process.ts";

export const CHAT_URL = "http://chat.sim";
export const CHANNEL_ID = "channel";

/** A chat server with one channel, and its connections to the agent's processes. */
export type SimulatedChat = {
  readonly posts: readonly Post[];
  /** Writes a person's message. An empty `rootId` starts a thread. */
  write(by: string, message: string, rootId: string): Post;
  /** Calls `listener` with every new or edited message, at the server. */
  listen(listener: (post: Post, isNew: boolean) => void): void;
  /** Connects a process in its present life, as `account`. */
  connect(process: SimulatedProcess, account: string): ApprovalChat;
  /** Tells the processes that have missed messages to read them. */
  reconnect(): void;
};

const CALL_ODDS = {
  "fails before": 0.03,
  "fails after": 0.03,
  "fails before, and is done later": 0.02,
  slow: 0.05,
};
const EVENT_ODDS = { "is lost": 0.03, "comes twice": 0.05, "comes late": 0.08, "breaks off": 0.04 };

/** The most that a call may be delayed, or carried out after its caller gave up. */
const LATE_MS = 15_000;
/** The posts of a channel's newest page. */
const PAGE = 60;
/** The longest interruption of a connection. */
const BREAK_MS = 40_000;

type Events = { posted: { post: Post }; gap: object; resumed: object };
type Name = keyof Events;
type Connection = {
  /** True if a message was lost of which the process has not learned. */
  hasGap: boolean;
  emit<N extends Name>(name: N, event: Events[N]): void;
  deliver(post: Post): void;
};

/** Creates a chat. `scale` multiplies the probability of its faults. */
export function createSimulatedChat(stage: Stage, people: readonly string[], scale: number): SimulatedChat {
  const { scheduler, note } = stage;
  const posts: Post[] = [];
  const listeners: Array<(post: Post, isNew: boolean) => void> = [];
  /** The connection of each process, in its latest life. */
  const connections = new Map<string, Connection>();
  const callOdds = scaled(CALL_ODDS, scale);
  const eventOdds = scaled(EVENT_ODDS, scale);

  const write = (userId: string, message: string, rootId: string): Post => {
    const [id, createAt] = [`post${posts.length}`, scheduler.now()];
    const post: Post = {
      ...{ id, channelId: CHANNEL_ID, userId, message, rootId, type: "" },
      ...{ createAt, updateAt: createAt, editAt: 0, deleteAt: 0 },
    };
    posts.push(post);
    note(`${userId} writes ${id}: ${summaryOf(message)}`);
    for (const listener of listeners) listener(post, true);
    for (const { deliver } of connections.values()) deliver(post);
    return post;
  };

  const edit = (postId: string, message: string): Post => {
    const index = posts.findIndex(({ id }) => id === postId);
    const post = { ...(posts[index] as Post), message, editAt: scheduler.now() };
    posts[index] = post;
    note(`${post.userId} edits ${postId}: ${summaryOf(message)}`);
    for (const listener of listeners) listener(post, false);
    return post;
  };

  const open = (process: SimulatedProcess, stream: Stream) => {
    const { life } = process;
    const handlers: Array<{ name: Name; handle: (event: never) => void }> = [];
    let brokenUntil = 0;
    let missed: Post[] = [];
    const emit: Connection["emit"] = (name, event) => {
      if (process.life !== life) return;
      for (const one of handlers) if (one.name === name) one.handle(event as never);
    };
    const emitAfter = (ms: number, post: Post) => void process.setTimer(() => emit("posted", { post }), ms);
    const resume = (isWhole: boolean) => {
      emit(isWhole ? "resumed" : "gap", {});
      if (isWhole) for (const post of missed) emitAfter(5, post);
      missed = [];
    };
    const deliver = (post: Post) => {
      if (process.life !== life) return;
      const latencyMs = stream.between(5, 120);
      const fault = stream.deviate<keyof typeof EVENT_ODDS>(eventOdds);
      if (scheduler.now() < brokenUntil) return void missed.push(post);
      if (fault) note(`${process.name}: ${post.id} ${fault.kind}`);
      if (fault?.kind === "is lost") {
        connection.hasGap = true;
        return;
      }
      if (fault?.kind === "breaks off") {
        brokenUntil = scheduler.now() + fault.size * BREAK_MS;
        missed = [post];
        const isWhole = stream.next() < 0.5;
        return void process.setTimer(() => resume(isWhole), fault.size * BREAK_MS + 50);
      }
      const lateMs = fault ? fault.size * LATE_MS : 0;
      emitAfter(latencyMs + (fault?.kind === "comes late" ? lateMs : 0), post);
      if (fault?.kind === "comes twice") emitAfter(latencyMs + lateMs, post);
    };
    const connection: Connection = { hasGap: false, emit, deliver };
    connections.set(process.name, connection);
    // As a client reports after its first connection.
    process.setTimer(() => emit("gap", {}), stream.between(20, 500));
    return (name: Name, handle: (event: never) => void) => void handlers.push({ name, handle });
  };

  return {
    posts,
    write,
    listen: (listener) => void listeners.push(listener),
    connect(process, account) {
      const stream = stage.chance.stream(`${process.name}>chat`);
      const on = open(process, stream);
      const call = <T>(label: string, work: () => T): Promise<T> =>
        process.call(`chat ${label}`, (end) => {
          const fault = stream.deviate<keyof typeof CALL_ODDS>(callOdds);
          const [there, back] = [stream.between(2, 40), stream.between(2, 40)];
          const slowMs = fault?.kind === "slow" ? fault.size * fault.size * LATE_MS : 0;
          if (fault) note(`${process.name} > chat ${label} [${fault.kind}]`);
          const fail = () =>
            end(() => {
              throw Object.assign(new Error("the chat can't be reached"), { code: "offline" });
            });
          scheduler.after(there + slowMs, () => {
            if (fault?.kind === "fails before, and is done later")
              scheduler.after(fault.size * LATE_MS, () => void work());
            if (fault?.kind.startsWith("fails before")) return void scheduler.after(back, fail);
            const result = work();
            scheduler.after(back, fault?.kind === "fails after" ? fail : () => end(() => result));
          });
        });
      const client = {
        baseUrl: CHAT_URL,
        on,
        users: {
          search: (term: string) =>
            call(`search ${term}`, () =>
              people.filter((name) => name.includes(term)).map((name) => ({ id: name, username: name })),
            ),
        },
        posts: {
          create: (_channelId: string, { message, rootId }: { message: string; rootId?: string }) =>
            call("create", () => write(account, message, rootId ?? "")),
          edit: (_channelId: string, postId: string, message: string) =>
            call(`edit ${postId}`, () => edit(postId, message)),
          page: (_channelId: string, { thread }: { thread?: string }) =>
            call(`read ${thread ?? "the newest page"}`, () => ({
              posts:
                thread === undefined
                  ? posts.slice(-PAGE)
                  : posts.filter(({ id, rootId }) => id === thread || rootId === thread),
            })),
        },
      };
      return client as unknown as ApprovalChat;
    },
    reconnect() {
      for (const connection of connections.values()) {
        if (connection.hasGap) connection.emit("gap", {});
        connection.hasGap = false;
      }
    },
  };
}

function scaled<Kind extends string>(odds: Record<Kind, number>, scale: number): Record<Kind, number> {
  const entries = Object.entries<number>(odds).map(([kind, probability]) => [kind, probability * scale]);
  return Object.fromEntries(entries) as Record<Kind, number>;
}

/** Returns the first line and the end of a message, which differ between questions and answers. */
const summaryOf = (message: string) =>
  `${message.slice(0, 60).split("\n", 1)} … ${message.slice(-20).replaceAll("\n", " ")}`;
