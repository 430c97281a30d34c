import dynamic from "next/dynamic";
import type { ComponentType, ReactNode } from "react";

/** A part that is loaded when it is first shown; one that can't be loaded is left out, and the page goes on. */
export function loadPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  loading?: () => ReactNode,
): ComponentType<Props> {
  return dynamic<Props>(() => load().catch(() => Nothing), loading && { loading });
}

function Nothing() {
  return null;
}
