import type { Store } from "../../store/store.ts";

/** The part of a store that claims need. */
export type ClaimStore = Pick<Store, "get" | "setIfAbsent" | "replace" | "deleteIf">;
