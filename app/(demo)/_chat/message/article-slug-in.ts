const ADDRESS = /https?:\/\/[^\s<>()[\]"']+/g;

/** The name of the first article of this site that a text links to, or null. */
export function articleSlugIn(text: string, origin: string): string | null {
  if (!text.includes(`${origin}/articles/`)) return null;
  for (const [address] of text.matchAll(ADDRESS)) {
    const slug = address.startsWith(`${origin}/articles/`)
      ? /^[a-z0-9]+(?:-[a-z0-9]+)*/.exec(address.slice(origin.length + "/articles/".length))?.[0]
      : undefined;
    if (slug) return slug;
  }
  return null;
}
