import { defineConfig } from "playwright/test";
import base from "../../playwright.config.ts";

/** `npm run screenshots`: every screen on four sizes, two of them for `docs/screenshots`, and what the first page shows of them. */
export default defineConfig(base, { testMatch: "screenshots.ts", reporter: "line" });
