import { z } from "zod";
import { Authority } from "../../lib/hive/authority.ts";
import { toMils } from "../../lib/mils.ts";
import { deriveAccount } from "../accounts.ts";
import { plainPost } from "../posts.ts";
import type { Chain } from "./chain.ts";
import { badType } from "./errors.ts";
import type { Api } from "./methods/method.ts";
import { createCommunity, createSeededAccount } from "./state/genesis.ts";

const where = {
  /** A method, `api.*`, or `*`. */
  method: z.string().default("*"),
  /** The number of calls; if missing, the fault lasts until it is cleared. */
  times: z.number().int().positive().optional(),
};

/** A fault of a node, for tests. */
export const Fault = z.discriminatedUnion("kind", [
  /** Answers after a delay. */
  z.object({ ...where, kind: z.literal("delay"), delayMs: z.number().int().nonnegative() }),
  /** Drops the connection without processing the call. */
  z.object({ ...where, kind: z.literal("cut") }),
  /** Neither answers nor processes the call. */
  z.object({ ...where, kind: z.literal("hang") }),
  /** Answers with this status and body without processing the call. */
  z.object({
    ...where,
    kind: z.literal("answer"),
    status: z.number().int().min(200).max(599),
    body: z.string().default("<html><body>Service unavailable</body></html>"),
  }),
  /** Answers with this JSON-RPC error without processing the call. */
  z.object({
    ...where,
    kind: z.literal("refuse"),
    error: z.object({ code: z.number().int(), message: z.string(), data: z.unknown().optional() }),
  }),
  /** Processes the call and loses the answer. */
  z.object({ ...where, kind: z.literal("lose_answer"), by: z.enum(["cut", "hang"]) }),
  /** Answers with this result without processing the call. */
  z.object({ ...where, kind: z.literal("lie"), result: z.unknown() }),
  /** Shows the head as it was this many seconds ago. */
  z.object({ ...where, kind: z.literal("stale"), seconds: z.number().int().positive() }),
]);
export type Fault = z.output<typeof Fault>;

/** The faults of one node. */
type Faults = {
  set(fault: Fault): void;
  clear(): void;
  /** Returns the faults that apply to this call, and counts the call for each of them. */
  strike(method: string): Fault[];
};

export function createFaults(initial: readonly Fault[]): Faults {
  let active: Fault[] = [...initial];
  return {
    set: (fault) => {
      active.push(fault);
    },
    clear: () => {
      active = [];
    },
    strike(method) {
      const striking = active.filter((fault) => matches(fault.method, method));
      active = active.flatMap((fault) => {
        if (fault.times === undefined || !striking.includes(fault)) return [fault];
        return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
      });
      return striking;
    },
  };
}

function matches(pattern: string, method: string): boolean {
  return (
    pattern === "*" ||
    pattern === method ||
    (pattern.endsWith(".*") && method.startsWith(pattern.slice(0, -1)))
  );
}

const AccountChange = z.object({
  name: z.string(),
  hbdMils: z.number().int().nonnegative().transform(toMils).optional(),
  milliHive: z.number().int().nonnegative().optional(),
  /** The remaining resource credits and their maximum. */
  resources: z.object({ current: z.number().int(), max: z.number().int() }).optional(),
  owner: Authority.optional(),
  active: Authority.optional(),
  posting: Authority.optional(),
});

const Role = z.enum(["owner", "admin", "mod", "member"]);
const CommunityChange = z.object({
  name: z.string(),
  title: z.string(),
  about: z.string().default(""),
  roles: z.array(z.tuple([z.string(), Role])).default([]),
  subscribers: z.array(z.string()).default([]),
});

const PostChange = z.object({
  author: z.string(),
  permlink: z.string(),
  title: z.string().default(plainPost.title),
  body: z.string().default(plainPost.body),
  category: z.string().default(plainPost.category),
  tags: z.array(z.string()).default([]),
  pictures: z.array(z.string()).default([]),
  created: z.number().int().default(plainPost.created),
  payoutMils: z.number().int().nonnegative().transform(toMils).default(plainPost.payoutMils),
  isPaidOut: z.boolean().default(false),
  mostMils: z.number().int().nonnegative().transform(toMils).default(plainPost.mostMils),
  parent: z.object({ author: z.string(), permlink: z.string() }).nullable().default(null),
  isGray: z.boolean().default(false),
  isHidden: z.boolean().default(false),
});

/**
 * Creates the controls of a chain and a node for tests, which are served only if the chain was started with
 * them.
 */
export function createDevApi(chain: Chain, faults: Faults, pause: (isOn: boolean) => void): Api {
  return {
    produce_blocks: dev(
      z.object({ count: z.number().int().positive().max(10_000).default(1) }),
      async ({ count }) => {
        for (let made = 0; made < count; made++) await chain.produce();
        return { head_block_number: chain.head().num };
      },
    ),
    /** Stops or restarts block production. */
    pause: dev(z.object({ isOn: z.boolean() }), ({ isOn }) => pause(isOn)),
    /** Moves chain time forward, starting with the next block. */
    advance_time: dev(z.object({ seconds: z.number().positive() }), ({ seconds }) =>
      chain.clock.advance(seconds),
    ),
    fork: dev(
      z.object({
        blocks: z.number().int().positive().default(1),
        losesTransactions: z.boolean().default(false),
      }),
      async (options) => {
        try {
          await chain.fork(options);
        } catch (error) {
          if (error instanceof RangeError) throw badType(error.message);
          throw error;
        }
      },
    ),
    set_lag: dev(z.object({ blocks: z.number().int().nonnegative() }), ({ blocks }) => chain.setLag(blocks)),
    hold_transactions: dev(z.object({ isOn: z.boolean() }), ({ isOn }) => chain.holdTransactions(isOn)),
    set_fault: dev(Fault, (fault) => faults.set(fault)),
    clear_faults: dev(z.unknown(), () => faults.clear()),
    /** Changes an account, or creates it with the keys of its name. */
    set_account: dev(AccountChange, async ({ name, hbdMils, milliHive, resources, ...authorities }) => {
      const now = chain.head().time;
      const { accounts } = chain.confirmed();
      const account =
        accounts.get(name) ?? createSeededAccount(deriveAccount(name), { id: accounts.size + 1, now });
      await chain.putAccount({
        ...account,
        hbd: hbdMils === undefined ? account.hbd : BigInt(hbdMils),
        hive: milliHive === undefined ? account.hive : BigInt(milliHive),
        resources: resources ? { ...resources, updated: now } : account.resources,
        owner: authorities.owner ?? account.owner,
        active: authorities.active ?? account.active,
        posting: authorities.posting ?? account.posting,
        ...(Object.keys(authorities).length > 0 && { lastAccountUpdate: now }),
      });
    }),
    /** Creates a community, or replaces it. */
    set_community: dev(CommunityChange, (change) => {
      const { communities } = chain.confirmed();
      const id = communities.get(change.name)?.id ?? communities.size + 1;
      return chain.putCommunity(createCommunity(change, { id, now: chain.head().time }));
    }),
    /** Creates a post, or replaces it. */
    set_post: dev(PostChange, (post) => chain.putPost(post)),
  };
}

function dev<T>(schema: z.ZodType<T>, run: (input: T) => unknown) {
  return async (params: unknown) => {
    const input = schema.safeParse(params);
    if (!input.success) throw badType(z.prettifyError(input.error));
    return (await run(input.data)) ?? {};
  };
}
