import type { Store } from "./store.ts";

const TTL_SECONDS = 4;
const RENEW_EVERY_MS = 1000;
const RELEASE_EVERY_MS = 100;

/** The exclusive right to some work among all processes on the same store, until it is ended. */
export type Lease = {
  /** True once this process no longer holds the lease, because it expired while the store was unavailable. */
  readonly isLost: boolean;
  /** Ends the lease, even while the store is unavailable. Never rejects, because the lease expires anyway. */
  release(): Promise<void>;
};

/**
 * Takes the lease under the key, or returns `null` while another holder has it. A dead process loses its
 * lease after 4 s.
 */
export async function takeLease(
  store: Pick<Store, "setIfAbsent" | "replace" | "deleteIf">,
  key: string,
): Promise<Lease | null> {
  const holder = crypto.randomUUID();
  if (!(await store.setIfAbsent(key, holder, TTL_SECONDS))) return null;
  let isLost = false;
  const renewal = setInterval(() => {
    store.replace(key, holder, holder, TTL_SECONDS).then(
      (isHeld) => {
        if (isHeld) return;
        isLost = true;
        clearInterval(renewal);
      },
      () => {
        // The store is unavailable. The next round tries again; work under a lease checks its own writes.
      },
    );
  }, RENEW_EVERY_MS);
  renewal.unref?.();
  return {
    get isLost() {
      return isLost;
    },
    release() {
      clearInterval(renewal);
      let hasRunOut = false;
      const end = setTimeout(() => {
        hasRunOut = true;
      }, TTL_SECONDS * 1000);
      end.unref?.();
      const tryOnce = async (): Promise<void> => {
        try {
          await store.deleteIf(key, holder);
          clearTimeout(end);
        } catch {
          if (!hasRunOut) setTimeout(() => void tryOnce(), RELEASE_EVERY_MS).unref?.();
        }
      };
      return tryOnce();
    },
  };
}
