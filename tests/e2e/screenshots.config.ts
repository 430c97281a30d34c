import { defineConfig } from "playwright/test";
import base from "../../playwright.config.ts";

/**
 * Config of `npm run screenshots`: every screen in four sizes, two of them for `docs/screenshots`, and the
 * landing page's pictures.
 */
export default defineConfig(base, { testMatch: "screenshots.ts", reporter: "line" });
