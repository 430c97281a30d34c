import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { BudgetStore } from "../x402/client/index.ts";

/** Lifetime of an approval. */
const APPROVED_MS = 600_000;
/** Time for which a used approval is stored until its outcome is reported. */
const TAKEN_MS = 86_400_000;
const MAX_WAITING = 20;
const MAX_TAKEN = 100;
const MAX_TRIES = 20;
const ID_BYTES = 4;

/** The subject of an approval: this payment for this request, and no other. */
const Wanted = z.object({
  amount: z.string(),
  payTo: z.string(),
  network: z.string(),
  url: z.string(),
  /** A hash of the request's method and body. */
  request: z.string(),
});
export type Wanted = z.infer<typeof Wanted>;

/** The message that asks the owner. */
const Question = z.object({
  /** The text that the owner signs. */
  text: z.string(),
  channelId: z.string(),
  /** The thread, or an empty text if the message starts it. */
  rootId: z.string(),
  /** The message's id, or null until it is written. */
  postId: z.string().nullable(),
});
export type Question = z.infer<typeof Question>;

const Approval = z.object({
  id: z.string(),
  wanted: Wanted,
  /** Text that the seller chose. */
  description: z.string().optional(),
  /** `taken`: the payment may have been made, and its outcome has not been reported. */
  state: z.enum(["waiting", "approved", "taken"]),
  endsAtMs: z.number(),
  question: Question.optional(),
});
/** A payment that waits for its owner's approval, or that is approved once. */
export type Approval = z.infer<typeof Approval>;

export type Approvals = {
  /**
   * Uses up an approval of this payment and returns it, or null if there is none. An approval with a question
   * stays `taken` until `end`.
   */
  take(wanted: Wanted): Promise<Approval | null>;
  /**
   * Asks the owner for approval, and returns the request, which is the same for the same payment; `null` if
   * too many are waiting.
   */
  ask(wanted: Wanted, description: string | undefined): Promise<Approval | null>;
  /** Stores the question about a payment. Returns null if the payment no longer waits. */
  note(id: string, question: Question): Promise<Approval | null>;
  /**
   * Approves a waiting payment until `endsAtMs`, by default for ten minutes, and returns it, or `null` if none
   * has the id. Only the owner's command and the owner's signature do this.
   */
  approve(id: string, endsAtMs?: number): Promise<Approval | null>;
  /** Removes a waiting or approved payment and returns it, or `null` if none has the id. */
  reject(id: string): Promise<Approval | null>;
  /** Removes a payment in any state, once its outcome is known. */
  end(id: string): Promise<void>;
  /** Returns the payments that wait or are approved. */
  list(): Promise<Approval[]>;
  /** Returns those with a question, including `taken` ones. */
  asked(): Promise<Array<Approval & { question: Question }>>;
};

const isSame = (one: Wanted, other: Wanted) =>
  Wanted.keyof().options.every((name) => one[name] === other[name]);

const isTaken = ({ state }: Approval) => state === "taken";

/**
 * Creates the list of approvals under a key of `store`, which the owner's command reads and changes too. A
 * payment waits for `waitingMs`.
 */
export function createApprovals(
  store: BudgetStore,
  { key, waitingMs, now = Date.now }: { key: string; waitingMs: number; now?: () => number },
): Approvals {
  const read = async () => {
    const text = await store.get(key);
    const all = z.array(Approval).parse(JSON.parse(text ?? "[]"));
    return { text, live: all.filter(({ endsAtMs }) => endsAtMs > now()) };
  };
  /** Changes the list atomically; `plan` returns the new list, or null to keep the old one. */
  const change = async <T>(
    plan: (live: Approval[]) => { next: Approval[] | null; result: T },
  ): Promise<T> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { text, live } = await read();
      const { next, result } = plan(live);
      if (!next) return result;
      const written = JSON.stringify(next);
      if (await (text === null ? store.setIfAbsent(key, written) : store.replace(key, text, written)))
        return result;
    }
    throw new Error("too many processes write");
  };
  const without = (live: Approval[], gone: Approval) => live.filter(({ id }) => id !== gone.id);
  const open = (live: Approval[]) => live.filter((one) => !isTaken(one));
  const byId = (live: Approval[], id: string) => open(live).find((one) => one.id === id) ?? null;
  return {
    take: (wanted) =>
      change<Approval | null>((live) => {
        const found = live.find((one) => one.state === "approved" && isSame(one.wanted, wanted));
        if (!found) return { next: null, result: null };
        const taken: Approval = { ...found, state: "taken", endsAtMs: now() + TAKEN_MS };
        const kept = [...live.filter(isTaken), ...(found.question ? [taken] : [])].slice(-MAX_TAKEN);
        return { next: [...kept, ...without(open(live), found)], result: taken };
      }),
    ask: (wanted, description) =>
      change<Approval | null>((live) => {
        const present = open(live).find((one) => isSame(one.wanted, wanted));
        if (present) return { next: null, result: present };
        if (open(live).length >= MAX_WAITING) return { next: null, result: null };
        const asked: Approval = {
          ...{ id: randomBytes(ID_BYTES).toString("hex"), wanted, state: "waiting" },
          ...(description !== undefined && { description }),
          endsAtMs: now() + waitingMs,
        };
        return { next: [...live, asked], result: asked };
      }),
    note: (id, question) =>
      change<Approval | null>((live) => {
        const found = byId(live, id);
        if (!found) return { next: null, result: null };
        const noted: Approval = { ...found, question };
        return { next: [...without(live, found), noted], result: noted };
      }),
    approve: (id, endsAtMs) =>
      change<Approval | null>((live) => {
        const found = byId(live, id);
        if (found?.state !== "waiting") return { next: null, result: found };
        const approved: Approval = { ...found, state: "approved", endsAtMs: endsAtMs ?? now() + APPROVED_MS };
        return { next: [...without(live, found), approved], result: approved };
      }),
    reject: (id) =>
      change<Approval | null>((live) => {
        const found = byId(live, id);
        return { next: found && without(live, found), result: found };
      }),
    async end(id) {
      await change((live) => {
        const found = live.find((one) => one.id === id);
        return { next: found ? without(live, found) : null, result: undefined };
      });
    },
    list: async () => open((await read()).live),
    asked: async () =>
      (await read()).live.flatMap(({ question, ...rest }) => (question ? [{ ...rest, question }] : [])),
  };
}
