export type Deadline = {
  /** Names what is done at the end; done at once when that has passed. */
  onEnd(cut: () => void): void;
  isOver(): boolean;
  clear(): void;
};

/** An end after `timeoutMs` or with `signal`, whichever comes first; `clear` when the work ended. */
export function startDeadline(timeoutMs: number, signal: AbortSignal | undefined): Deadline {
  let hasEnded = signal?.aborted ?? false;
  let isOver = false;
  let cut = () => {};
  const end = () => {
    hasEnded = true;
    cut();
  };
  const timer = setTimeout(() => {
    isOver = true;
    end();
  }, timeoutMs);
  signal?.addEventListener("abort", end, { once: true });
  return {
    onEnd(given) {
      cut = given;
      if (hasEnded) cut();
    },
    isOver: () => isOver,
    clear: () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
    },
  };
}
