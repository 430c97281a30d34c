import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { BudgetStore } from "../x402/client/index.ts";
import { type ApprovalState, approvalStates } from "./approval-text.ts";

/** Lifetime of an approval. */
const APPROVED_MS = 600_000;
/** Time for which a used approval is stored until its outcome is reported. */
const TAKEN_MS = 86_400_000;
/** Time for which other processes can still read how a question ended. */
const SETTLED_MS = 1_200_000;
/** A clock that steps back by more than this ends all approvals. */
const CLOCK_STEP_MS = 60_000;
const MAX_SETTLED = 100;
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
  /** A hash of the request's method, address and body. */
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
  /**
   * `taken`: the payment may have been made, and its outcome has not been reported. The last three are stored for
   * questions only, so that no process takes a payment that another one made for a refused or late one.
   */
  state: z.enum(["waiting", "approved", "taken", "refused", "expired", "ended"]),
  endsAtMs: z.number(),
  question: Question.optional(),
  /** The outcome that the question shows, or is about to show. */
  outcome: z.enum(approvalStates).optional(),
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
  /**
   * Stores the question about a payment, which then waits no longer than until `endsAtMs`. Returns null if the payment
   * no longer waits.
   */
  note(id: string, question: Question, endsAtMs: number): Promise<Approval | null>;
  /**
   * Approves a waiting payment until `endsAtMs`, by default for ten minutes, and returns it, or `null` if none
   * has the id. Only the owner's command and the owner's signature do this.
   */
  approve(id: string, endsAtMs?: number): Promise<Approval | null>;
  /** Removes a waiting or approved payment and returns it, or `null` if none has the id. */
  reject(id: string): Promise<Approval | null>;
  /** Stores the outcome of a payment before it is shown. */
  conclude(id: string, outcome: ApprovalState): Promise<void>;
  /** Ends a payment in any state, once its outcome has been shown. */
  end(id: string): Promise<void>;
  /** Returns a payment in any state, or `null` if none has the id. One whose time has passed is `expired` for good. */
  find(id: string): Promise<Approval | null>;
  /** Returns the payments that wait or are approved. */
  list(): Promise<Approval[]>;
  /** Returns those with a question, in any state. */
  asked(): Promise<Array<Approval & { question: Question }>>;
};

const isSame = (one: Wanted, other: Wanted) =>
  Wanted.keyof().options.every((name) => one[name] === other[name]);

const isTaken = ({ state }: Approval) => state === "taken";
const isOpen = ({ state }: Approval) => state === "waiting" || state === "approved";
/** Returns whether a payment has been refused, has expired or has ended. */
export const isSettled = (approval: Approval): boolean => !isOpen(approval) && !isTaken(approval);

/**
 * Creates the list of approvals under a key of `store`, which the owner's command reads and changes too. A
 * payment waits for `waitingMs`.
 */
export function createApprovals(
  store: BudgetStore,
  { key, waitingMs, now = Date.now }: { key: string; waitingMs: number; now?: () => number },
): Approvals {
  const settle = (approval: Approval, state: "refused" | "expired" | "ended"): Approval[] =>
    approval.question ? [{ ...approval, state, endsAtMs: now() + SETTLED_MS }] : [];
  const isLate = ({ state, endsAtMs }: Approval) =>
    endsAtMs <= now() || (state === "approved" && endsAtMs > now() + APPROVED_MS + CLOCK_STEP_MS);
  const read = async () => {
    const text = await store.get(key);
    const all = z.array(Approval).parse(JSON.parse(text ?? "[]"));
    const live = all.flatMap((one) => {
      if (!isLate(one)) return [one];
      return isOpen(one) ? settle(one, "expired") : [];
    });
    return { text, live, hasLate: all.some(isLate) };
  };
  /** Changes the list atomically; `plan` returns the new list, or null to keep the old one. */
  const change = async <T>(
    plan: (live: Approval[]) => { next: Approval[] | null; result: T },
  ): Promise<T> => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { text, live, hasLate } = await read();
      const { next, result } = plan(live);
      // What is late stays late, even if the clock steps back.
      if (!next && !hasLate) return result;
      const all = next ?? live;
      const settled = all.filter(isSettled).slice(-MAX_SETTLED);
      const written = JSON.stringify([...settled, ...all.filter((one) => !isSettled(one))]);
      if (await (text === null ? store.setIfAbsent(key, written) : store.replace(key, text, written)))
        return result;
    }
    throw new Error("too many processes write");
  };
  const without = (live: Approval[], gone: Approval) => live.filter(({ id }) => id !== gone.id);
  const open = (live: Approval[]) => live.filter(isOpen);
  const byId = (live: Approval[], id: string) => open(live).find((one) => one.id === id) ?? null;
  const anyById = (live: Approval[], id: string) => live.find((one) => one.id === id) ?? null;
  return {
    take: (wanted) =>
      change<Approval | null>((live) => {
        const found = live.find((one) => one.state === "approved" && isSame(one.wanted, wanted));
        if (!found) return { next: null, result: null };
        const taken: Approval = { ...found, state: "taken", endsAtMs: now() + TAKEN_MS };
        const kept = [...live.filter(isTaken), ...(found.question ? [taken] : [])].slice(-MAX_TAKEN);
        const others = live.filter((one) => !isTaken(one));
        return { next: [...kept, ...without(others, found)], result: taken };
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
    note: (id, question, endsAtMs) =>
      change<Approval | null>((live) => {
        const found = byId(live, id);
        if (!found) return { next: null, result: null };
        const noted = { ...found, question, endsAtMs: Math.min(found.endsAtMs, endsAtMs) };
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
        return {
          next: found && [...without(live, found), ...settle(found, "refused")],
          result: found,
        };
      }),
    conclude: (id, outcome) =>
      change((live) => {
        const found = anyById(live, id);
        return { next: found && [...without(live, found), { ...found, outcome }], result: undefined };
      }),
    end: (id) =>
      change((live) => {
        const found = anyById(live, id);
        return { next: found && [...without(live, found), ...settle(found, "ended")], result: undefined };
      }),
    find: (id) => change((live) => ({ next: null, result: anyById(live, id) })),
    list: async () => open((await read()).live),
    asked: async () =>
      (await read()).live.flatMap(({ question, ...rest }) => (question ? [{ ...rest, question }] : [])),
  };
}
