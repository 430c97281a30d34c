import type { ListRow } from "./list-handle.ts";

/** Whether rows were put before the first one that there was. */
export function isPrepend(before: readonly ListRow[], after: readonly ListRow[]): boolean {
  const first = before[0]?.key;
  return first !== undefined && after[0]?.key !== first && after.some(({ key }) => key === first);
}
