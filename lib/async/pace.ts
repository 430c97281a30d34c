/** How slowly bytes may pass before they are cut off. */
export type Pace = { bytesPerSecond: number; graceMs: number };

/** Streams that share places which others may wait for. */
export type PacedStreams = {
  /**
   * Passes a person's stream on, as long as so many bytes a second are taken from it. Afterwards it fails with `TooSlow`,
   * and `onSlow` is called.
   */
  pass(person: string, body: ReadableStream<Uint8Array>, onSlow?: () => void): ReadableStream<Uint8Array>;
};

/** What a stream fails with that was cut off. */
export class TooSlow extends Error {
  override readonly name = "TooSlow";
}

const LOOK_EVERY_MS = 1000;
/** Who took much before may rest for so many times the grace. */
const LONGEST_REST = 2;
/** A wait that costs nobody anything: places come free by themselves. */
const SHORT_WAIT_MS = 2000;
/** How many seconds the pace of the moment is the mean of; a younger stream has the grace of its beginning. */
const RECENT_SECONDS = 5;

type Passing = {
  person: string;
  /** What the reader may leave untaken before the pace is missed. */
  creditBytes: number;
  /** What was taken in each of the last seconds, the present one last. */
  taken: number[];
  cut(): void;
};

/**
 * Watches streams whose places are few. Each has to keep the pace, however fast it was before. While somebody waits for a
 * place (`waitMs` tells how long by now), the pace doubles with each second, and of those that do not keep it one gives way:
 * the slowest of whoever has most. So whoever comes gets a place within seconds, however the others take their bytes.
 */
export function createPacedStreams({ bytesPerSecond, graceMs }: Pace, waitMs: () => number): PacedStreams {
  const streams = new Set<Passing>();
  const graceBytes = (graceMs / 1000) * bytesPerSecond;
  let timer: NodeJS.Timeout | null = null;

  const look = () => {
    for (const stream of streams) {
      stream.creditBytes = Math.min(stream.creditBytes, LONGEST_REST * graceBytes) - bytesPerSecond;
      if (stream.creditBytes < 0) stream.cut();
    }
    const waitedMs = waitMs();
    if (waitedMs >= SHORT_WAIT_MS) findInTheWay(bytesPerSecond * 2 ** (waitedMs / 1000))?.cut();
    for (const { taken } of streams) if (taken.push(0) > RECENT_SECONDS) taken.shift();
  };

  const findInTheWay = (leastPerSecond: number): Passing | undefined => {
    const slow = [...streams].filter(
      (stream) => stream.taken.length === RECENT_SECONDS && paceOf(stream) < leastPerSecond,
    );
    const countOf = (person: string) => [...streams].filter((stream) => stream.person === person).length;
    const isFirst = (one: Passing, other: Passing) =>
      countOf(other.person) - countOf(one.person) || paceOf(one) - paceOf(other);
    return slow.sort(isFirst)[0];
  };

  const watch = (stream: Passing) => {
    streams.add(stream);
    timer ??= setInterval(look, LOOK_EVERY_MS).unref();
  };
  const forget = (stream: Passing) => {
    streams.delete(stream);
    if (streams.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };

  return {
    pass(person, body, onSlow) {
      const reader = body.getReader();
      let stream: Passing;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            stream = {
              person,
              creditBytes: graceBytes,
              taken: [0],
              cut() {
                forget(stream);
                controller.error(new TooSlow("the bytes pass too slowly"));
                reader.cancel().catch(() => undefined);
                onSlow?.();
              },
            };
            watch(stream);
          },
          async pull(controller) {
            try {
              const { done, value } = await reader.read();
              if (done) {
                forget(stream);
                controller.close();
              } else {
                stream.creditBytes += value.byteLength;
                stream.taken[stream.taken.length - 1] = (stream.taken.at(-1) ?? 0) + value.byteLength;
                controller.enqueue(value);
              }
            } catch (error) {
              forget(stream);
              controller.error(error);
            }
          },
          cancel(reason) {
            forget(stream);
            return reader.cancel(reason);
          },
        },
        { highWaterMark: 0 },
      );
    },
  };
}

const paceOf = ({ taken }: Passing) => taken.reduce((sum, bytes) => sum + bytes, 0) / taken.length;
