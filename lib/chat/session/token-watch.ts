import { log } from "../../log.ts";
import { endUnprovenTokens } from "./end-tokens.ts";
import type { Gateway, PatOwner } from "./gateway.ts";
import { findPatOwner } from "./pat-owners.ts";

/** Two rounds fit into the minute within which a dropped key or a risen role has to tell. */
const EVERY_MS = 20_000;
const UNUSED_AFTER_MS = 60_000;
const MOST_WATCHED = 20_000;

export type TokenWatch = {
  /** Notes a PAT that was just given out, after all that is looked at was proven. */
  admit(patHash: string, owner: PatOwner): void;
  /** Notes that a PAT is used: it is looked at every 20 seconds while it is in use. */
  use(patHash: string): void;
  /** Counts a PAT as used until the returned function is called. */
  hold(patHash: string): () => void;
  /** Looks at a PAT that is in use at once. */
  look(patHash: string): void;
};

/** `owner` is null for a PAT that no bootstrap gave out, and until the store has told. */
type Watched = { owner: PatOwner | null; usedAtMs: number; holders: number };

/** The gateway's watch over the PATs in use, which ends those whose sign-in proves nothing any more. */
export function watchTokens(gateway: Gateway): TokenWatch {
  return gateway.own("token-watch", () => createTokenWatch(gateway));
}

function createTokenWatch(gateway: Gateway): TokenWatch {
  /** In the order of their last use. */
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | null = null;

  const end = (owners: readonly PatOwner[]) => {
    if (owners.length === 0) return;
    endUnprovenTokens(gateway, owners).catch((error: unknown) => {
      log().warn({ cause: (error as Error).name }, "tokens in use could not be looked at");
    });
  };

  const sweep = () => {
    const before = performance.now() - UNUSED_AFTER_MS;
    for (const [patHash, { usedAtMs, holders }] of watched)
      if (holders === 0 && usedAtMs < before) watched.delete(patHash);
    end([...watched.values()].flatMap(({ owner }) => owner ?? []));
    if (watched.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };

  const add = (patHash: string, owner: PatOwner | null): Watched => {
    const entry: Watched = { owner, usedAtMs: performance.now(), holders: 0 };
    watched.set(patHash, entry);
    for (const [oldest, { holders }] of watched) {
      if (watched.size <= MOST_WATCHED) break;
      if (holders === 0) watched.delete(oldest);
    }
    timer ??= setInterval(sweep, EVERY_MS).unref();
    return entry;
  };

  const begin = (patHash: string): Watched => {
    const entry = add(patHash, null);
    findPatOwner(gateway, patHash)
      .then((owner) => {
        entry.owner = owner ?? null;
      })
      .catch((error: unknown) => {
        log().warn({ cause: (error as Error).name }, "the owner of a token could not be read");
      });
    return entry;
  };

  const use = (patHash: string): Watched => {
    const entry = watched.get(patHash);
    if (!entry) return begin(patHash);
    entry.usedAtMs = performance.now();
    watched.delete(patHash);
    watched.set(patHash, entry);
    return entry;
  };

  return {
    admit(patHash, owner) {
      const entry = watched.get(patHash);
      if (entry) entry.owner = owner;
      else add(patHash, owner);
    },
    use: (patHash) => void use(patHash),
    hold(patHash) {
      const entry = use(patHash);
      entry.holders += 1;
      return () => {
        entry.holders -= 1;
      };
    },
    look(patHash) {
      const owner = watched.get(patHash)?.owner;
      if (owner) end([owner]);
    },
  };
}
