import type { PushedBody } from "./pushed-body.ts";

/** The minimum speed of a stream, below which it is cut off. */
export type Pace = { bytesPerSecond: number; graceMs: number };

/** Streams that hold places for which others may be waiting. */
export type PacedStreams = {
  /**
   * Forwards a person's stream as long as it is read fast enough. Otherwise the stream fails with `TooSlow`.
   */
  pass(person: string, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array>;
  /** Does the same for a pushed body, which is abandoned if it is too slow. */
  passPushed(person: string, body: PushedBody): PushedBody;
};

/** The error of a stream that was cut off. */
export class TooSlow extends Error {
  override readonly name = "TooSlow";
}

const LOOK_EVERY_MS = 1000;
/** The longest pause, in grace periods, that a reader can earn by reading fast. */
const LONGEST_REST = 2;
/** A wait too short to act on, because places also become free on their own. */
const SHORT_WAIT_MS = 2000;
/** The window in seconds over which the current pace is averaged. A younger stream is in its grace period. */
const RECENT_SECONDS = 5;

type Passing = {
  person: string;
  /** Bytes that the reader may fall behind before its stream is cut off. */
  creditBytes: number;
  /** Bytes read in each of the last seconds, the current one last. */
  taken: number[];
  cut(): void;
};

/**
 * Watches streams that share few places. Each must keep the pace, however fast it was earlier. While a caller
 * waits for a place (`waitMs` returns how long), the required pace doubles every second. Of the streams that
 * miss it, one is cut: the slowest stream of the person with the most streams. A newcomer therefore gets a
 * place within seconds, however slowly the others read.
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

  const watch = (person: string, onSlow: (reason: TooSlow) => void): Passing => {
    const stream: Passing = {
      person,
      creditBytes: graceBytes,
      taken: [0],
      cut() {
        forget(stream);
        onSlow(new TooSlow("the bytes pass too slowly"));
      },
    };
    streams.add(stream);
    timer ??= setInterval(look, LOOK_EVERY_MS).unref();
    return stream;
  };
  const count = (stream: Passing, bytes: number) => {
    stream.creditBytes += bytes;
    stream.taken[stream.taken.length - 1] = (stream.taken.at(-1) ?? 0) + bytes;
  };
  const forget = (stream: Passing) => {
    streams.delete(stream);
    if (streams.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };

  return {
    pass(person, body) {
      const reader = body.getReader();
      let stream: Passing;
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            stream = watch(person, (reason) => {
              controller.error(reason);
              reader.cancel().catch(() => undefined);
            });
          },
          async pull(controller) {
            try {
              const { done, value } = await reader.read();
              if (done) {
                forget(stream);
                controller.close();
              } else {
                count(stream, value.byteLength);
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
    passPushed(person, body) {
      let end = () => {};
      return {
        begin(receiver) {
          const stream = watch(person, (reason) => {
            body.cancel();
            receiver.fail(reason);
          });
          end = () => forget(stream);
          body.begin({
            chunk(bytes) {
              count(stream, bytes.byteLength);
              return receiver.chunk(bytes);
            },
            end() {
              end();
              receiver.end();
            },
            fail(error) {
              end();
              receiver.fail(error);
            },
          });
        },
        resume: () => body.resume(),
        cancel() {
          end();
          body.cancel();
        },
      };
    },
  };
}

const paceOf = ({ taken }: Passing) => taken.reduce((sum, bytes) => sum + bytes, 0) / taken.length;
