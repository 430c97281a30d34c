"use client";

import * as formatter from "./markdown.tsx";
import { provideFormatter } from "./message-text.tsx";

provideFormatter(formatter);

/** Shows nothing: a page that names it has the formatter loaded among its own scripts, not after them. */
export function PageFormatter() {
  return null;
}
