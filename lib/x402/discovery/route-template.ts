const shape = /^\/[a-zA-Z0-9_/:.\-~%]+$/;
const LONGEST = 512;

/** Returns whether a template such as `/users/:id` meets the protocol's rules, and stands for the path. */
export function isRouteTemplateOf(template: string, path: string): boolean {
  if (template.length > LONGEST || !shape.test(template)) return false;
  const plain = decode(template);
  if (plain === null || plain.includes("..") || plain.includes("://")) return false;
  const parts = template.split("/");
  const given = path.split("/");
  return (
    parts.length === given.length &&
    parts.every((part, index) => (part.startsWith(":") && given[index] !== "") || part === given[index])
  );
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
