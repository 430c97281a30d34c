"use client";

import * as formatter from "./markdown.tsx";
import { provideFormatter } from "./message-text.tsx";

provideFormatter(formatter);

/** Renders nothing. A page that includes it loads the formatter with its own scripts, not after them. */
export function PageFormatter() {
  return null;
}
