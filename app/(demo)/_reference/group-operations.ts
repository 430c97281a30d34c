import type { ApiDocument, Operation } from "./document.ts";

export type Entry = { path: string; method: string; operation: Operation };

/** The operations by their tag, in the document's order. */
export function groupOperations(paths: ApiDocument["paths"]): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0] ?? "";
      groups.set(tag, [...(groups.get(tag) ?? []), { path, method, operation }]);
    }
  return groups;
}
