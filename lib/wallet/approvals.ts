import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { BudgetStore } from "../x402/client/index.ts";

const KEY = "wallet:approvals";
/** Lifetime of an approval. */
const APPROVED_MS = 600_000;
const WAITING_MS = 3_600_000;
const MAX_WAITING = 20;
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

const Approval = z.object({
  id: z.string(),
  wanted: Wanted,
  /** Text that the seller chose. */
  description: z.string().optional(),
  state: z.enum(["waiting", "approved"]),
  endsAtMs: z.number(),
});
/** A payment that waits for its owner's approval, or that is approved once. */
export type Approval = z.infer<typeof Approval>;

export type Approvals = {
  /** Uses up an approval of this payment. Returns false if there is none. */
  take(wanted: Wanted): Promise<boolean>;
  /**
   * Asks the owner for approval, and returns the request, which is the same for the same payment; `null` if
   * too many are waiting.
   */
  ask(wanted: Wanted, description: string | undefined): Promise<Approval | null>;
  /**
   * Approves a waiting payment and returns it, or `null` if none has the id. Only the owner's command does
   * this.
   */
  approve(id: string): Promise<Approval | null>;
  /** Removes a waiting or approved payment and returns it, or `null` if none has the id. */
  reject(id: string): Promise<Approval | null>;
  list(): Promise<Approval[]>;
};

const isSame = (one: Wanted, other: Wanted) =>
  Wanted.keyof().options.every((name) => one[name] === other[name]);

/** Creates the list of approvals in `store`, which the owner's command reads and changes too. */
export function createApprovals(store: BudgetStore, now: () => number = Date.now): Approvals {
  const read = async () => {
    const text = await store.get(KEY);
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
      if (await (text === null ? store.setIfAbsent(KEY, written) : store.replace(KEY, text, written)))
        return result;
    }
    throw new Error("too many processes write");
  };
  const without = (live: Approval[], gone: Approval) => live.filter(({ id }) => id !== gone.id);
  const byId = (live: Approval[], id: string) => live.find((one) => one.id === id) ?? null;
  return {
    take: (wanted) =>
      change<boolean>((live) => {
        const found = live.find((one) => one.state === "approved" && isSame(one.wanted, wanted));
        return { next: found ? without(live, found) : null, result: found !== undefined };
      }),
    ask: (wanted, description) =>
      change<Approval | null>((live) => {
        const present = live.find((one) => isSame(one.wanted, wanted));
        if (present) return { next: null, result: present };
        if (live.length >= MAX_WAITING) return { next: null, result: null };
        const asked: Approval = {
          ...{ id: randomBytes(ID_BYTES).toString("hex"), wanted, state: "waiting" },
          ...(description !== undefined && { description }),
          endsAtMs: now() + WAITING_MS,
        };
        return { next: [...live, asked], result: asked };
      }),
    approve: (id) =>
      change<Approval | null>((live) => {
        const found = byId(live, id);
        if (found?.state !== "waiting") return { next: null, result: found };
        const approved: Approval = { ...found, state: "approved", endsAtMs: now() + APPROVED_MS };
        return { next: [...without(live, found), approved], result: approved };
      }),
    reject: (id) =>
      change<Approval | null>((live) => {
        const found = byId(live, id);
        return { next: found && without(live, found), result: found };
      }),
    list: async () => (await read()).live,
  };
}
