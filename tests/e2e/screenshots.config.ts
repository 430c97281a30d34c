import { defineConfig } from "playwright/test";
import base from "../../playwright.config.ts";

/**
 * Config of `npm run screenshots`: every screen in four sizes, two of them for `docs/screenshots`, the
 * landing page's pictures, and the steps of signing in and paying with a phone.
 */
export default defineConfig(base, {
  testMatch: ["screenshots.ts", "phone-screenshots.ts"],
  reporter: "line",
});
