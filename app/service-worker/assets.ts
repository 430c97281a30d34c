import { build } from "./worker.ts";

const PREFIX = "hivegate-assets-";
const NAME = PREFIX + build;
const EMOJI_TABLE = "/emoji/short-names.json";

export const openAssets = (): Promise<Cache> => caches.open(NAME);

/**
 * Returns whether a path is stored for this build: its scripts, and the emoji table that the first message
 * waits for.
 */
export function isAsset(pathname: string): boolean {
  return build !== "" && (pathname.startsWith("/_next/static/") || pathname === EMOJI_TABLE);
}

/**
 * Answers with a stored asset, whose name changes with its content, or asks the server and stores its answer.
 */
export async function readAsset(request: Request): Promise<Response> {
  const cache = await openAssets();
  const stored = await cache.match(request);
  if (stored) return stored;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** Deletes the assets of other builds. */
export async function deleteOldBuilds(): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== NAME);
  await Promise.all(old.map((name) => caches.delete(name)));
}
