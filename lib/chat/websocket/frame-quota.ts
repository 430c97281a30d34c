const FRAMES = 60;
const WINDOW_MS = 10_000;

/**
 * Creates a function that counts a client's frame, and returns whether the last 10 seconds hold no more than
 * 60 frames.
 */
export function createFrameQuota(now: () => number = () => performance.now()): () => boolean {
  const times = new Float64Array(FRAMES).fill(Number.NEGATIVE_INFINITY);
  let next = 0;
  return () => {
    const atMs = now();
    const oldest = times[next] ?? 0;
    times[next] = atMs;
    next = (next + 1) % FRAMES;
    return atMs - oldest >= WINDOW_MS;
  };
}
