const EVERY_MS = 1000;

/** Asks for a new reading: the first time at once, and then once a second, however often it is asked for. */
export type Rereader = { ask(): void; stop(): void };

/** Many events at a time tell of one change each, while a reading tells of all. */
export function createRereader(read: () => void): Rereader {
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isAskedAgain = false;

  const begin = () => {
    isAskedAgain = false;
    timer = setTimeout(() => {
      timer = null;
      if (isAskedAgain) begin();
    }, EVERY_MS);
    read();
  };

  return {
    ask() {
      if (timer === null) begin();
      else isAskedAgain = true;
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      isAskedAgain = false;
    },
  };
}
