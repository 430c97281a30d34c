const CACHE = "hivegate-offline";
const PATH = "/offline-words";

const english = {
  lang: "en",
  dir: "ltr",
  theme: "system",
  title: "You are offline",
  text: "The server can't be reached from here. What you wrote and what you paid for is kept. Check the connection.",
  retry: "Try again",
  waits: "This page opens by itself once the server can be reached.",
};

/** The texts, language and theme of the offline page. */
export type OfflineWords = typeof english;

/** Stores the texts that a page sends, in the page's language. */
export async function storeWords(words: Partial<OfflineWords>): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.put(PATH, new Response(JSON.stringify(words)));
}

/** Reads the texts that the last page sent, or English ones if there are none. */
export async function readWords(): Promise<OfflineWords> {
  const stored = await (await caches.open(CACHE)).match(PATH);
  return { ...english, ...(stored && ((await stored.json()) as Partial<OfflineWords>)) };
}
