/** Host and port of a node's address: two addresses with the same are one node, whatever their paths. */
export function originOf(url: string): string {
  const { hostname, port } = new URL(url);
  const name = hostname.replace(/\.$/, "");
  return port === "" ? name : `${name}:${port}`;
}

/** The addresses in their order, the first one of each origin. */
export function distinctNodes(urls: readonly string[]): string[] {
  return [...new Map([...urls].reverse().map((url) => [originOf(url), url])).values()].reverse();
}
