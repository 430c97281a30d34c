/**
 * Returns the address as the client used it: `path` (with its query) at the host of the host header, or at `fallback`
 * (an origin) where that header is missing or no host.
 */
export function addressAsked(host: string | null | undefined, fallback: string, path: string): URL {
  const asked = `${new URL(fallback).protocol}//${host}`;
  const { origin } = new URL(host && URL.canParse(asked) ? asked : fallback);
  return new URL(origin + path);
}
