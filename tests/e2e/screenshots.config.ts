import { defineConfig } from "playwright/test";
import base from "../../playwright.config.ts";

/** `npm run screenshots`: the pictures of every screen for `docs/screenshots`. */
export default defineConfig(base, { testMatch: "screenshots.ts", reporter: "line" });
