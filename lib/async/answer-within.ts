/**
 * Waits `ms` at most for somebody else's code; what it answers later goes unheard.
 * @throws Error when the time is over, or what `call` throws
 */
export async function answerWithin<T>(ms: number, call: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), ms);
  });
  try {
    return await Promise.race([call(), late]);
  } finally {
    clearTimeout(timer);
  }
}
